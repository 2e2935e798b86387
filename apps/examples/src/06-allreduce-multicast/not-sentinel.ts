import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import { NOT_SENTINEL, SENTINEL } from '../sentinel.ts';

/** The four floats of `line`, with each sentinel replaced by another NaN. */
export const notSentinel: DeviceFn<(line: number) => number> = deviceFn(
  { name: 'notSentinel', use: { SENTINEL, NOT_SENTINEL } },
  ({ SENTINEL, NOT_SENTINEL, bitcast, lane, unroll, vec, withLane, f32, u32 }, line: number) => {
    let words = bitcast(vec(u32, 4), line);
    for (const k of unroll(4)) {
      if (lane(words, k) === SENTINEL) words = withLane(words, k, NOT_SENTINEL);
    }
    return bitcast(vec(f32, 4), words);
  },
);
