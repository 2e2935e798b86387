import { NcclError } from '@nccl-ts/core';
import type { Expression, LocalId, LoopStatement, Span } from '@nccl-ts/ir';

import { repeatedNodes, type Tracker } from '../emit-shared/scope.ts';
import type { EmitContext } from '../emit-shared/context.ts';
import type { PausePoint } from '../emit-shared/pausing.ts';
import type { Prologue } from '../emit-shared/prologue.ts';
import type { Touched } from './disjointness.ts';
import { isLeaf, localValue, type FunctionBuilder, type WasmValue } from './function-builder.ts';
import { set, type WasmCode, type Instruction } from './instruction.ts';
import type { LaneOfLocal } from './lane-of-local.ts';
import type { RegionBuilder } from './region-builder.ts';

/** The values that form a value. */
export type Components = readonly WasmValue[];

/**
 * The targets of jumps: labels of blocks, and the end of the thread. A target outside the code that
 * is being generated is absent.
 */
export interface JumpTargets {
  readonly break: number | undefined;
  readonly continue: number | undefined;
  readonly return: WasmCode;
}

/**
 * The position at which code is generated, and the facts that hold there. It corresponds to
 * JavaScript's `Scope`.
 */
export interface WasmScope {
  readonly context: EmitContext;
  readonly fn: FunctionBuilder;
  readonly region: RegionBuilder;
  readonly code: Instruction[];
  readonly span: Span;
  /** The current thread's linear index. */
  readonly thread: WasmValue;
  /** The distance to the thread of this code. It is nonzero only if all addresses grow evenly. */
  readonly ahead: number;
  /** Records the accesses whose addresses grow evenly. */
  readonly touched: Touched[];
  /** Returns the numbers of the WebAssembly locals of a local. */
  readonly local: (id: LocalId) => readonly number[];
  /**
   * The JavaScript before the call, and the values that it computes; `undefined` if a value differs
   * by thread.
   */
  readonly prologue: Prologue;
  readonly hoisted: (e: Expression) => Components | undefined;
  readonly track: Tracker;
  /** For pointers that the loop sets once: their regions, if more than a number is known. */
  readonly regions: Map<LocalId, WasmValue | undefined>;
  /** The locals with 16-bit floats whose bytes may be stored unchanged. */
  readonly canonical: Set<LocalId>;
  /** Locals that hold a lane of another local that has not changed. */
  readonly lanes: Map<LocalId, LaneOfLocal>;
  readonly setOnce: ReadonlySet<LocalId>;
  readonly repeated: ReadonlySet<Expression>;
  readonly done: Map<Expression, Components>;
  readonly jumps: JumpTargets;
  /** The loops in which a turn may pause. */
  readonly points: ReadonlyMap<LoopStatement, PausePoint>;
  /** See `pausesIn`. */
  readonly isInside: boolean;
  /** True in a loop in which the turn may pause. */
  readonly isPausing: boolean;
}

/**
 * Returns a form of `stored` that may be used any number of times: a leaf, or a new local with the
 * value.
 */
export function keep(scope: WasmScope, stored: WasmValue): WasmValue {
  if (isLeaf(stored)) return stored;
  const local = scope.fn.local(stored.type);
  scope.code.push(...stored.code, set(local));
  return { ...localValue(stored.type, local), text: stored.text, bounds: stored.bounds, canonical: stored.canonical };
}

/** Like `keep`, but later assignments do not change it. */
export function copy(scope: WasmScope, stored: WasmValue): WasmValue {
  const [only] = stored.code;
  if (isLeaf(stored) && only?.op !== 'local.get') return stored;
  const local = scope.fn.local(stored.type);
  scope.code.push(...stored.code, set(local));
  return localValue(stored.type, local);
}

/**
 * Records facts about a local's value besides its bits, if the local has only this value in the
 * loop.
 */
export function noteKnown(scope: WasmScope, local: LocalId, values: Components): void {
  if (!scope.setOnce.has(local)) return;
  scope.regions.set(local, values[1]);
  if (values[0]?.canonical === true) scope.canonical.add(local);
}

/** Returns the scope for code that runs only sometimes. Its values are not visible outside. */
export function branchScope(scope: WasmScope): WasmScope {
  return { ...scope, code: [], done: new Map(scope.done) };
}

export function statementScope(scope: WasmScope, roots: readonly Expression[]): WasmScope {
  return { ...scope, repeated: repeatedNodes(roots), done: new Map() };
}

export function first(components: Components): WasmValue {
  const [only] = components;
  if (only === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'A value has no components.');
  return only;
}
