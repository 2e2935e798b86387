import {
  atomicMeaning,
  elementScalar,
  isFault,
  scalarBinary,
  type AtomicStatement,
  type ScalarValue,
  type Type,
  type ValueType,
} from '@nccl-ts/ir';
import { at, WARP_SIZE } from '@nccl-ts/core';
import { known, type UpdateFunction } from '@nccl-ts/memory-model';
import type { CtaState } from './cta-state.ts';
import { bitsOf, elementsOf, type LaterValue } from './element.ts';
import type { EvaluationScope } from './evaluate.ts';

/**
 * Returns the result of an atomic operation on given bytes. A failed compare-and-swap writes
 * nothing.
 */
export function changeOf(
  s: AtomicStatement,
  type: ValueType,
  operand: readonly ScalarValue[],
  expected: readonly ScalarValue[],
): UpdateFunction {
  const kind = elementScalar(type);
  const meaning = atomicMeaning[s.op];
  return (bits) => {
    const old = elementsOf(type, bits).map(known);
    switch (meaning.kind) {
      case 'compare':
        return old.every((element, i) => Object.is(element, expected[i])) ? bitsOf(type, operand) : undefined;
      case 'replace':
        return bitsOf(type, operand);
      case 'binary': {
        const next = old.map((element, i) => {
          const result = scalarBinary(meaning.op, kind, element, at(operand, i));
          return isFault(result) ? element : result;
        });
        return bitsOf(type, next);
      }
    }
  };
}

/** Returns the launch's built-in values for a thread. */
export function builtinsOf({ identity, threads }: CtaState, thread: number): EvaluationScope['builtins'] {
  const { blockDim, gridDim, blockIdx } = identity;
  const { x, y } = blockDim;
  return {
    'threadIdx.x': thread % x,
    'threadIdx.y': Math.floor(thread / x) % y,
    'threadIdx.z': Math.floor(thread / (x * y)),
    'blockIdx.x': blockIdx.x,
    'blockIdx.y': blockIdx.y,
    'blockIdx.z': blockIdx.z,
    'blockDim.x': x,
    'blockDim.y': y,
    'blockDim.z': blockDim.z,
    'gridDim.x': gridDim.x,
    'gridDim.y': gridDim.y,
    'gridDim.z': gridDim.z,
    threadLinear: thread,
    blockThreads: threads,
    laneId: thread % WARP_SIZE,
    warpSize: WARP_SIZE,
  };
}

/** Returns the initial value of a variable. */
export function zeroOf(type: Type): LaterValue {
  if (type.kind === 'pointer' || type.kind === 'handle') return { address: 0, region: 0 };
  const kind = elementScalar(type);
  const zero: ScalarValue = kind === 'bool' ? false : kind === 'i64' || kind === 'u64' ? 0n : 0;
  return Array.from({ length: type.kind === 'vector' ? type.width : 1 }, () => zero);
}
