import { deviceFn, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { LLA2AState } from './ll-a2a-state.ts';
import { loadHalf, requireSlots, wordsOf } from './slots.ts';
import { elementOf } from './value-words.ts';

/**
 * The values of one call. There are at most `max`, and the first `min` always exist. Both are
 * constants.
 */
interface ReceiveBatch {
  readonly min: number;
  readonly max: number;
  readonly start: number;
  readonly count: number;
  readonly stride: number;
}

/**
 * Waits for all values of a batch together, so that their transfers overlap. It keeps the received
 * words in `halves`, where 64-bit word `w` of value `u` is number `u * words + w`. Slots are not
 * loaded again, because a later load could read the peer's next value: nothing is acquired here.
 * Only the values that the wait itself has read are ordered before this thread's later releases.
 */
const waitForAll: DeviceFn<(self: LLA2AState, batch: ReceiveBatch, words: number, halves: Ptr) => void> = deviceFn(
  { name: 'waitForAll', use: { loadHalf, requireSlots } },
  ({ loadHalf, requireSlots, waitUntil, unroll, u32 }, self, batch, words, halves) => {
    for (const u of unroll(batch.max)) {
      if (u < batch.min || u < batch.count) requireSlots(self, batch.start + u * batch.stride, words);
    }
    waitUntil(() => {
      let here = true;
      for (const u of unroll(batch.max)) {
        if (u < batch.min || u < batch.count) {
          for (const w of unroll(words)) {
            const half = loadHalf(self, batch.start + u * batch.stride, w);
            halves[u * words + w] = half;
            here = here && u32(half >> 32) === self.epoch;
          }
        }
      }
      return here;
    });
  },
);

/**
 * Waits for a batch, and passes on each of its values element by element: `width` (a constant)
 * elements of type T.
 */
export const receive: DeviceFn<
  (
    self: LLA2AState,
    batch: ReceiveBatch,
    T: TypeFn,
    width: number,
    take: (u: number, k: number, element: number) => void,
  ) => void
> = deviceFn(
  { name: 'receive', use: { waitForAll, wordsOf, elementOf } },
  ({ waitForAll, wordsOf, elementOf, localArray, sizeOf, unroll, u32, u64 }, self, batch, T, width, take) => {
    const words = wordsOf(sizeOf(T) * width);
    const halves = localArray(u64, batch.max * words);
    waitForAll(self, batch, words, halves);
    for (const u of unroll(batch.max)) {
      if (u < batch.min || u < batch.count) {
        const wordAt = (w: number): number => u32(halves.load(u * words + w));
        for (const k of unroll(width)) take(u, k, elementOf(T, wordAt, k));
      }
    }
  },
);

/** Waits for one value and returns it. */
export const receiveOne: DeviceFn<(self: LLA2AState, T: TypeFn, elt: number) => number> = deviceFn(
  { name: 'receiveOne', use: { waitForAll, wordsOf, elementOf } },
  ({ waitForAll, wordsOf, elementOf, localArray, sizeOf, u32, u64 }, self, T, elt) => {
    const words = wordsOf(sizeOf(T));
    const halves = localArray(u64, words);
    waitForAll(self, { min: 1, max: 1, start: elt, count: 1, stride: 0 }, words, halves);
    return elementOf(T, (w) => u32(halves.load(w)), 0);
  },
);
