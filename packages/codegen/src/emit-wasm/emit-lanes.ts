import { at, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  dispatchStatement,
  mayFault,
  statementExpressions,
  type Body,
  type Expression,
  type Statement,
  type StatementTable,
} from '@nccl-ts/ir';

import { localType } from '../emit-shared/context.ts';
import { isRecomputed } from '../emit-shared/frame.ts';
import type { AffineAccess } from '../emit-shared/scope.ts';
import { scalarOf } from '../emit-shared/types.ts';
import { disjointness, type Touched } from './disjointness.ts';
import { times } from './emit-access.ts';
import { emitExpression } from './emit-expression.ts';
import { value } from './function-builder.ts';
import { get, memory, op, set, type WasmCode } from './instruction.ts';
import type { MemoryOp } from './opcodes.ts';
import { loadNarrow, storeNarrow } from './narrow-lanes.ts';
import { fitsLanes, isNarrowIn, laneShape, laneValue, NotInLanes, splat, type LaneScope } from './lane-expression.ts';
import { statementScope } from './scope.ts';
import { heldIn } from './types.ts';

/**
 * Runs neighbouring threads together, one in each lane. It throws `NotInLanes` for everything
 * except loads, stores, and arithmetic in between.
 */
export class LaneEmitter {
  readonly #lanes: LaneScope;
  readonly #touched: Touched[] = [];

  constructor(lanes: LaneScope) {
    this.#lanes = lanes;
  }

  body(body: Body): void {
    for (const statement of body) {
      const { scope } = this.#lanes;
      if (statementExpressions(statement).some((e) => this.#isValue(statement, e) && mayFault(e))) {
        throw new NotInLanes('a fault');
      }
      const inner = { ...statementScope(scope, statementExpressions(statement)), span: statement.span };
      dispatchStatement(table, statement, { emitter: this, lanes: { ...this.#lanes, scope: inner } });
    }
  }

  /** Pointers are checked before the loop, so they may contain operations that could fault. */
  #isValue(s: Statement, e: Expression): boolean {
    return !((s.kind === 'load' || s.kind === 'store') && e === s.pointer);
  }

  assign(local: number, kind: ScalarKind, code: WasmCode, lanes: LaneScope): void {
    laneShape(kind, lanes);
    const known = lanes.locals.get(local) ?? lanes.scope.fn.local('v128');
    lanes.locals.set(local, known);
    lanes.scope.code.push(...code, set(known));
  }

  /**
   * Returns the address that the first of these threads accesses. It is known to be valid for all
   * threads.
   */
  access(
    pointer: Expression,
    stores: boolean,
    lanes: LaneScope,
  ): { address: WasmCode; affine: AffineAccess; kind: ScalarKind } {
    const { scope } = lanes;
    if (pointer.type.kind !== 'pointer' || pointer.type.space !== 'global') throw new NotInLanes('private memory');
    const { element } = pointer.type;
    const kind = scalarOf(element);
    if (kind === undefined || element.kind !== 'scalar' || kind === 'bool') throw new NotInLanes(element.kind);
    laneShape(kind, lanes);
    const { bytes } = scalarInfo[kind];
    const affine = scope.track.access(pointer, bytes, bytes);
    if (affine === undefined) throw new NotInLanes('an address that does not grow evenly');
    const isEven = affine.stride === bytes || (affine.stride === 0 && !stores);
    if (!isEven) throw new NotInLanes('threads that do not access adjacent elements');
    this.#touched.push({ base: affine.base, stride: affine.stride, bytes, stores });
    const start = get(scope.fn.param(affine.base, 'i32'));
    const address = affine.stride === 0 ? [start] : [start, ...times(scope.thread, affine.stride), op('i32.add')];
    return { address, affine, kind };
  }

  /**
   * Returns the conditions under which several threads can run the statements together. `last` is
   * the text of the last thread's index.
   */
  requirements(last: string): readonly string[] {
    const found = disjointness(this.#touched, last);
    if (found === undefined) throw new NotInLanes('stores that overlap');
    return found;
  }
}

function alignOf(kind: ScalarKind): number {
  return Math.min(4, scalarInfo[kind].bytes);
}

interface LaneContext {
  readonly emitter: LaneEmitter;
  readonly lanes: LaneScope;
}

function never(s: Statement): never {
  throw new NotInLanes(s.kind);
}

const scalarLoads: Readonly<Partial<Record<ScalarKind, MemoryOp>>> = {
  f32: 'f32.load',
  i32: 'i32.load',
  u32: 'i32.load',
  f64: 'f64.load',
  i64: 'i64.load',
  u64: 'i64.load',
};

const table: StatementTable<LaneContext, void> = {
  assign: (s, { emitter, lanes }) => {
    const { scope } = lanes;
    const { context } = scope;
    if (isRecomputed(context, s.local)) return;
    const kind = scalarOf(s.value.type);
    if (!context.uniformity.varying.has(s.local)) {
      const values = emitExpression(s.value, scope);
      const locals = scope.local(s.local);
      if (locals.length > 1) throw new NotInLanes('a shared value with several parts');
      locals.forEach((local, i) => scope.code.push(...at(values, i).code, set(local)));
    } else {
      if (kind === undefined || s.value.type.kind !== 'scalar') throw new NotInLanes(s.value.type.kind);
      // A value that does not fit may be needed only in addresses.
      if (!fitsLanes(kind, lanes)) lanes.locals.delete(s.local);
      else emitter.assign(s.local, kind, laneValue(s.value, lanes).code, lanes);
    }
    scope.track.assign(s.local, s.value);
  },
  load: (s, { emitter, lanes }) => {
    const { scope } = lanes;
    if (scope.context.shared && s.access !== undefined) never(s);
    const { address, affine, kind } = emitter.access(s.pointer, false, lanes);
    const isShared = !scope.context.uniformity.varying.has(s.local);
    if (affine.stride === 0) {
      const load = scalarLoads[kind];
      if (load === undefined) return never(s);
      const one = value(heldIn[kind], ...address, memory(load, scalarInfo[kind].bytes));
      if (isShared) scope.code.push(...one.code, ...scope.local(s.local).map(set));
      else emitter.assign(s.local, kind, splat(kind, one, lanes).code, lanes);
    } else if (isShared) never(s);
    else if (isNarrowIn(kind, lanes)) emitter.assign(s.local, kind, loadNarrow(kind, address, scope).code, lanes);
    else emitter.assign(s.local, kind, [...address, memory('v128.load', alignOf(kind))], lanes);
    scope.track.assign(s.local, undefined);
  },
  store: (s, { emitter, lanes }) => {
    if (lanes.scope.context.shared && s.access !== undefined) never(s);
    const stored = laneValue(s.value, lanes);
    const { address, kind } = emitter.access(s.pointer, true, lanes);
    const { code } = lanes.scope;
    if (isNarrowIn(kind, lanes)) code.push(...storeNarrow(kind, address, stored, lanes.scope));
    else code.push(...address, ...stored.code, memory('v128.store', alignOf(kind)));
  },
  atomic: never,
  fence: never,
  fenceProxy: never,
  sync: never,
  wait: never,
  waitAll: never,
  collective: never,
  if: never,
  loop: never,
  break: never,
  continue: never,
  block: never,
  leave: never,
  return: never,
  assert: never,
  print: never,
  approximate: () => undefined,
  clock: never,
  call: (s, { emitter }) => {
    if (s.body === undefined) never(s);
    emitter.body(s.body);
  },
};

/**
 * Returns the type that a local has in every thread's lane. Throws if it is not a number of one
 * lane.
 */
export function laneKind(local: number, lanes: LaneScope): ScalarKind {
  const type = localType(lanes.scope.context, local);
  const kind = scalarOf(type);
  if (kind === undefined || type.kind !== 'scalar') throw new NotInLanes(type.kind);
  laneShape(kind, lanes);
  return kind;
}
