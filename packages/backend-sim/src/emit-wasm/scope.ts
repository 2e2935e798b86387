import { NcclError } from '@nccl-ts/core';
import type { Expression, LocalId, Span } from '@nccl-ts/ir';

import { repeatedNodes, type Tracker } from '../emit-js/scope.ts';
import type { EmitContext } from '../emit-js/context.ts';
import type { Prologue } from '../emit-js/prologue.ts';
import type { Touched } from './apart.ts';
import { isLeaf, localValue, type FunctionBuilder, type Value } from './function-builder.ts';
import { set, type Code, type Instruction } from './instruction.ts';
import type { LaneOfLocal } from './packed-elements.ts';
import type { RegionBuilder } from './region-builder.ts';

/** The values that make up a value. */
export type Components = readonly Value[];

/**
 * Where jumps lead: labels of blocks, absent where they lead out of what is written; and what ends
 * the thread.
 */
export interface Jumps {
  readonly break: number | undefined;
  readonly continue: number | undefined;
  readonly return: Code;
}

/** The place that code is written to, and what holds there. The counterpart of JavaScript's. */
export interface WasmScope {
  readonly context: EmitContext;
  readonly fn: FunctionBuilder;
  readonly region: RegionBuilder;
  readonly code: Instruction[];
  readonly span: Span;
  /** The present thread's linear index. */
  readonly thread: Value;
  /**
   * How many threads behind that one this code is for: not 0 only where all addresses grow evenly.
   */
  readonly ahead: number;
  /** Where accesses are noted whose addresses grow evenly. */
  readonly touched: Touched[];
  /** The numbers of the WebAssembly locals of a local. */
  readonly local: (id: LocalId) => readonly number[];
  /**
   * JavaScript before the call, and the values that it computes; `undefined` where the value
   * differs by thread.
   */
  readonly prologue: Prologue;
  readonly hoisted: (e: Expression) => Components | undefined;
  readonly track: Tracker;
  /**
   * Of pointers that the loop sets once: their regions, as far as more is known of them than a
   * number.
   */
  readonly regions: Map<LocalId, Value | undefined>;
  /** Of those that hold halves: the ones whose bytes may go to memory as they are. */
  readonly canonical: Set<LocalId>;
  /** Locals that hold a lane of what another local still holds. */
  readonly lanes: Map<LocalId, LaneOfLocal>;
  readonly setOnce: ReadonlySet<LocalId>;
  readonly repeated: ReadonlySet<Expression>;
  readonly done: Map<Expression, Components>;
  readonly jumps: Jumps;
}

/** `kept` may be used any number of times: a leaf, or a new local that holds the value. */
export function keep(scope: WasmScope, kept: Value): Value {
  if (isLeaf(kept)) return kept;
  const local = scope.fn.local(kept.type);
  scope.code.push(...kept.code, set(local));
  return { ...localValue(kept.type, local), text: kept.text, bounds: kept.bounds, canonical: kept.canonical };
}

/** As `keep`, and not changed by assignments that follow. */
export function copy(scope: WasmScope, kept: Value): Value {
  const [only] = kept.code;
  if (isLeaf(kept) && only?.op !== 'local.get') return kept;
  const local = scope.fn.local(kept.type);
  scope.code.push(...kept.code, set(local));
  return localValue(kept.type, local);
}

/**
 * Notes what is known of a local's value beside its bits, where the local holds nothing else in the
 * loop.
 */
export function noteKnown(scope: WasmScope, local: LocalId, values: Components): void {
  if (!scope.setOnce.has(local)) return;
  scope.regions.set(local, values[1]);
  if (values[0]?.canonical === true) scope.canonical.add(local);
}

/** The scope for code that runs only sometimes. What it computes is not seen outside. */
export function branchScope(scope: WasmScope): WasmScope {
  return { ...scope, code: [], done: new Map(scope.done) };
}

export function statementScope(scope: WasmScope, roots: readonly Expression[]): WasmScope {
  return { ...scope, repeated: repeatedNodes(roots), done: new Map() };
}

export function first(components: Components): Value {
  const [only] = components;
  if (only === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'A value has no components.');
  return only;
}
