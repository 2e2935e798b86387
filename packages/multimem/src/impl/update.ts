import type { ScalarKind } from '@nccl-ts/core';
import { bf16, deviceFn, f16, type DeviceFn, type Ptr, type ScalarParam } from '@nccl-ts/kernel';
import type { MultimemOp } from '../formats.ts';

/** Atomically combines `x` into element number `k`. */
export type Update = DeviceFn<(copy: Ptr, k: number, x: number) => void>;

/** The update of an element of this type. 16-bit floats support only `add`. */
export function updateOf(kind: ScalarKind, op: MultimemOp): Update {
  return kind === 'f16' ? addHalf : kind === 'bf16' ? addBrainHalf : updates[op];
}

const updates: Readonly<Record<MultimemOp, Update>> = Object.freeze({
  add: deviceFn({ name: 'add' }, (_context, copy: Ptr, k: number, x: number) => {
    copy.atomicAdd(k, x, 'relaxed', 'system');
  }),
  min: deviceFn({ name: 'min' }, (_context, copy: Ptr, k: number, x: number) => {
    copy.atomicMin(k, x, 'relaxed', 'system');
  }),
  max: deviceFn({ name: 'max' }, (_context, copy: Ptr, k: number, x: number) => {
    copy.atomicMax(k, x, 'relaxed', 'system');
  }),
  and: deviceFn({ name: 'and' }, (_context, copy: Ptr, k: number, x: number) => {
    copy.atomicAnd(k, x, 'relaxed', 'system');
  }),
  or: deviceFn({ name: 'or' }, (_context, copy: Ptr, k: number, x: number) => {
    copy.atomicOr(k, x, 'relaxed', 'system');
  }),
  xor: deviceFn({ name: 'xor' }, (_context, copy: Ptr, k: number, x: number) => {
    copy.atomicXor(k, x, 'relaxed', 'system');
  }),
});

/**
 * 16-bit floats are stored in pairs. The update repeats a compare-and-swap on the word of both,
 * until no other thread has changed it.
 */
function addInPair(E: ScalarParam): Update {
  return deviceFn(
    { name: 'addInPair', use: { E } },
    ({ E, vec, u32, bitcast, lane, withLane }, copy: Ptr, k: number, x: number) => {
      const words = copy.cast(u32);
      let seen = words.load(k >> 1, 'relaxed', 'system');
      for (;;) {
        const pair = bitcast(vec(E, 2), seen);
        const next = bitcast(u32, withLane(pair, k & 1, lane(pair, k & 1) + x));
        const before = words.atomicCas(k >> 1, seen, next, 'relaxed', 'system');
        if (before === seen) break;
        seen = before;
      }
    },
  );
}

const addHalf = addInPair(f16);
const addBrainHalf = addInPair(bf16);
