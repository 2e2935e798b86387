import { scalarInfo } from '@nccl-ts/core';
import { elementScalar, type Expression, type LocalId, type VectorExpression } from '@nccl-ts/ir';

import { packedBinary, packedMath, packedOf, packedUnary } from './emit-packed.ts';
import { localValue, type WasmValue } from './function-builder.ts';
import type { Components, WasmScope } from './scope.ts';
import { isHalf, shapeOf, type VectorShape } from './types.ts';
import type { LaneOfLocal } from './lane-of-local.ts';

/** Updates `scope.lanes` after `local` was set to `value`. */
export function noteLane(local: LocalId, value: Expression | undefined, { lanes }: Pick<WasmScope, 'lanes'>): void {
  lanes.delete(local);
  for (const [id, { vector }] of lanes) if (vector === local) lanes.delete(id);
  const lane = value === undefined ? undefined : laneOf(value);
  if (lane !== undefined) lanes.set(local, lane);
}

function laneOf(e: Expression): LaneOfLocal | undefined {
  if (e.kind !== 'lane' || e.vector.kind !== 'local' || e.index.kind !== 'constant') return undefined;
  return { vector: e.vector.local, index: Number(e.index.value) };
}

/**
 * Computes a vector at once if all elements are computed alike, each from the same lane of other
 * vectors, as in `vec(f32, 2)(max(lane(a, 0), lane(b, 0)), max(lane(a, 1), lane(b,
 * 1)))`. Returns `undefined` if they are not, or if there are no instructions for it.
 */
export function asPackedElements(
  e: VectorExpression,
  scope: WasmScope,
  emit: (e: Expression, scope: WasmScope) => Components,
): WasmValue | undefined {
  const shape = shapeOf(e.type);
  if (shape === undefined || isHalf(shape) || e.elements.length !== e.type.width) return undefined;
  const inner = { ...scope, code: [] };
  const packed = new PackedElements(e, shape, inner, emit).of(e.elements);
  if (packed !== undefined) scope.code.push(...inner.code);
  return packed;
}

class PackedElements {
  readonly #vector: VectorExpression;
  readonly #shape: VectorShape;
  readonly #scope: WasmScope;
  readonly #emit: (e: Expression, scope: WasmScope) => Components;

  constructor(
    vector: VectorExpression,
    shape: VectorShape,
    scope: WasmScope,
    emit: (e: Expression, scope: WasmScope) => Components,
  ) {
    this.#vector = vector;
    this.#shape = shape;
    this.#scope = scope;
    this.#emit = emit;
  }

  /** Returns the vector of these expressions. */
  of(elements: readonly Expression[]): WasmValue | undefined {
    const [first] = elements;
    const kind = elementScalar(this.#vector.type);
    if (first === undefined || first.type.kind !== 'scalar' || first.type.scalar !== kind) return undefined;
    const shape = this.#shape;
    const scope = this.#scope;
    const whole = this.#lanes(elements);
    if (whole !== undefined) return whole;
    if (elements.every((e) => isSame(e, first))) return packedOf(shape, this.#emit(first, scope), scope);
    switch (first.kind) {
      case 'binary': {
        const alike = elements.flatMap((e) => (e.kind === 'binary' && e.op === first.op ? [e] : []));
        if (alike.length < elements.length) return undefined;
        const [left, right] = [this.of(alike.map((e) => e.left)), this.of(alike.map((e) => e.right))];
        if (left === undefined || right === undefined) return undefined;
        return packedBinary(first.op, shape, scalarInfo[kind].signed, left, right, scope);
      }
      case 'unary': {
        const alike = elements.flatMap((e) => (e.kind === 'unary' && e.op === first.op ? [e] : []));
        const operand = alike.length < elements.length ? undefined : this.of(alike.map((e) => e.operand));
        return operand === undefined ? undefined : packedUnary(first.op, shape, operand);
      }
      case 'math': {
        const alike = elements.flatMap((e) => (e.kind === 'math' && e.function === first.function ? [e] : []));
        const args = alike.flatMap((e) => (e.args.length === 1 ? e.args : []));
        const arg = args.length < elements.length ? undefined : this.of(args);
        return arg === undefined ? undefined : packedMath(first.function, shape, [arg]);
      }
      case 'addressPointer':
      case 'array':
      case 'bitcast':
      case 'builtin':
      case 'compare':
      case 'constant':
      case 'convert':
      case 'field':
      case 'intrinsic':
      case 'lane':
      case 'local':
      case 'logical':
      case 'multicastPointer':
      case 'multicastSize':
      case 'clusterPointer':
      case 'param':
      case 'pointerCast':
      case 'pointerOffset':
      case 'select':
      case 'unicastPointer':
      case 'vector':
      case 'windowPointer':
      case 'withLane':
        return undefined;
    }
  }

  /** Returns the local whose lanes these are, from the first to the last. */
  #lanes(elements: readonly Expression[]): WasmValue | undefined {
    const found = elements.map((e) => (e.kind === 'local' ? this.#scope.lanes.get(e.local) : laneOf(e)));
    const [first] = found;
    if (first === undefined) return undefined;
    if (!found.every((lane, i) => lane?.vector === first.vector && lane.index === i)) return undefined;
    const type = this.#scope.context.module.locals[first.vector]?.type;
    if (type === undefined || shapeOf(type) !== this.#shape || type.kind !== 'vector') return undefined;
    if (type.element !== this.#vector.type.element) return undefined;
    if (!this.#scope.context.uniformity.varying.has(first.vector)) return undefined;
    const [local] = this.#scope.local(first.vector);
    return local === undefined ? undefined : localValue('v128', local);
  }
}

/** True if both certainly have the same value: the same expression, or equal leaves. */
function isSame(a: Expression, b: Expression): boolean {
  if (a === b) return true;
  if (a.kind === 'local' && b.kind === 'local') return a.local === b.local;
  if (a.kind === 'param' && b.kind === 'param') return a.param === b.param;
  return a.kind === 'constant' && b.kind === 'constant' && Object.is(a.value, b.value);
}
