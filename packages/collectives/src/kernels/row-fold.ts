import { deviceFn, type DeviceFn, type Ptr } from '@nccl-ts/kernel';

/** The words through which the CTAs of a row exchange one value each. */
export interface RowSums {
  /** The number of the calling CTA among those of the row. */
  readonly part: number;
  /** Returns the words of CTA number `of`. */
  readonly at: (of: number) => Ptr;
}

/**
 * Reduces one value of each CTA of a row to a single value, which all threads of these CTAs get.
 * The values are combined in the order of the CTAs. `place` is the row's place, and `kind` is 0 or
 * 1 for two values of the same row.
 */
export type RowFold = DeviceFn<(sums: RowSums, value: number, turn: number, place: number, kind: number) => number>;

/**
 * `joining` combines two values, and `parts` is the number of CTAs of a row.
 *
 * A value travels with its turn, in 8 bytes, so it needs no other flag and is never cleared. Turns
 * alternate between two banks of places. A CTA stores the value of turn t + 2 only after it has
 * read all values of turn t + 1. Each other CTA stores that one after it has read those of turn t.
 */
export function rowFold(joining: DeviceFn<(a: number, b: number) => number>, parts: number): RowFold {
  return deviceFn(
    { name: 'rowFold', use: { join: joining, PARTS: parts } },
    (
      { join, PARTS, bitcast, f32, lane, localArray, threadIdx, u32, u64, unroll, vec, waitUntil },
      { part, at }: RowSums,
      value: number,
      turn: number,
      place: number,
      kind: number,
    ): number => {
      if (PARTS === 1) return value;
      const Pair = vec(u32, 2);
      const stamp = u32(turn + 1);
      const slot = 2 * place + kind;
      if (threadIdx.x === 0) {
        at(part)
          .cast(u64)
          .store(slot, bitcast(u64, Pair(bitcast(u32, f32(value)), stamp)), 'relaxed', 'device');
      }
      const values = localArray(u64, PARTS);
      waitUntil(() => {
        let isHere = true;
        for (const p of unroll(PARTS)) {
          const pair = at(p).cast(u64).load(slot, 'relaxed', 'device');
          values.store(p, pair);
          isHere = isHere && lane(bitcast(Pair, pair), 1) === stamp;
        }
        return isHere;
      });
      const valueOf = (p: number): number => bitcast(f32, lane(bitcast(Pair, values.load(p)), 0));
      let total = valueOf(0);
      for (const p of unroll(PARTS)) if (p > 0) total = join(total, valueOf(p));
      return total;
    },
  );
}
