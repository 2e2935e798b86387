import { deviceFn, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';
import type { LLA2AState } from './ll-a2a-state.ts';
import { loadHalf, requireSlots, wordsOf } from './slots.ts';
import { elementOf } from './value-words.ts';

/** The values of one call: `max` (a constant) at most, of which the first `min` (a constant) are there in any case. */
interface Batch {
  readonly min: number;
  readonly max: number;
  readonly start: number;
  readonly count: number;
  readonly stride: number;
}

/** Waits for all values of a batch at once, so that their ways through the network overlap. */
const waitForAll: DeviceFn<(self: LLA2AState, batch: Batch, words: number) => void> = deviceFn(
  { name: 'waitForAll', use: { loadHalf, requireSlots } },
  ({ loadHalf, requireSlots, waitUntil, unroll, u32 }, self: LLA2AState, batch: Batch, words: number) => {
    for (const u of unroll(batch.max)) {
      if (u < batch.min || u < batch.count) requireSlots(self, batch.start + u * batch.stride, words);
    }
    waitUntil(() => {
      let here = true;
      for (const u of unroll(batch.max)) {
        if (u < batch.min || u < batch.count) {
          for (const w of unroll(words)) {
            const flag = u32(loadHalf(self, batch.start + u * batch.stride, w) >> 32);
            here = here && flag === self.epoch;
          }
        }
      }
      return here;
    });
  },
);

/**
 * Waits for a batch and hands over each value that is in it, element by element: `width` (a constant) elements of type T.
 * What a slot holds does not change before this thread's CTA has ended the epoch, so it may be read again after the wait.
 */
export const receive: DeviceFn<
  (
    self: LLA2AState,
    batch: Batch,
    T: TypeFn,
    width: number,
    take: (u: number, k: number, element: number) => void,
  ) => void
> = deviceFn(
  { name: 'receive', use: { waitForAll, loadHalf, wordsOf, elementOf } },
  (
    { waitForAll, loadHalf, wordsOf, elementOf, sizeOf, unroll, u32 },
    self: LLA2AState,
    batch: Batch,
    T: TypeFn,
    width: number,
    take: (u: number, k: number, element: number) => void,
  ) => {
    waitForAll(self, batch, wordsOf(sizeOf(T) * width));
    for (const u of unroll(batch.max)) {
      if (u < batch.min || u < batch.count) {
        const elt = batch.start + u * batch.stride;
        const wordAt = (w: number): number => u32(loadHalf(self, elt, w));
        for (const k of unroll(width)) take(u, k, elementOf(T, wordAt, k));
      }
    }
  },
);

/** Waits for one value and gives it. */
export const receiveOne: DeviceFn<(self: LLA2AState, T: TypeFn, elt: number) => number> = deviceFn(
  { name: 'receiveOne', use: { waitForAll, loadHalf, wordsOf, elementOf } },
  ({ waitForAll, loadHalf, wordsOf, elementOf, sizeOf, u32 }, self: LLA2AState, T: TypeFn, elt: number) => {
    waitForAll(self, { min: 1, max: 1, start: elt, count: 1, stride: 0 }, wordsOf(sizeOf(T)));
    return elementOf(T, (w) => u32(loadHalf(self, elt, w)), 0);
  },
);
