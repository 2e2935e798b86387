import { deviceFn, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';
import { packing } from './packing.ts';

/** Returns the value, or the vector, of source `i`. */
type Load = (i: number) => number;
/** Receives the result. */
type Store = (total: number) => void;

/** A reduction of two values of the accumulating type. Default: their sum. */
export type Operator = (a: number, b: number) => number;

/** Converts a value of the accumulating type. */
export type Conversion = (value: number) => number;
/** Converts a value of source `source`. */
export type SourceChange = (value: number, source: number) => number;

/** How values are reduced: by `op`, or to their sum, with changes before and after. */
export interface Join {
  readonly op: Operator | undefined;
  readonly before: SourceChange | undefined;
  readonly after: Conversion | undefined;
}

/** Applies `change` to each of `n` elements of a vector of type A. */
const changed: DeviceFn<(type: TypeFn, n: number, v: number, change?: Conversion) => number> = deviceFn(
  { name: 'changed', use: { packing } },
  ({ packing, vec, lane }, A, n, v, change) =>
    change === undefined ? v : packing.byLane(vec(A, n), n, (k) => A(change(lane(v, k)))),
);

/** The same for the value of source `source`. */
const changedSource: DeviceFn<(type: TypeFn, n: number, v: number, source: number, change?: SourceChange) => number> =
  deviceFn({ name: 'changedSource', use: { changed } }, ({ changed }, A, n, v, source, change) =>
    change === undefined ? v : changed(A, n, v, (value) => change(value, source)),
  );

/** Reduces two vectors of `n` elements of type A to one. */
const joined: DeviceFn<(type: TypeFn, n: number, a: number, b: number, op?: Operator) => number> = deviceFn(
  { name: 'joined', use: { packing } },
  ({ packing, vec, lane }, A, n, a, b, op) =>
    op === undefined ? a + b : packing.byLane(vec(A, n), n, (k) => A(op(lane(a, k), lane(b, k)))),
);

/**
 * Reduces vectors of type V, which have `n` elements of type T, in the order of the sources.
 * `load(i)` returns the vector of source `i`, and `store` receives the result. `n` is a constant of
 * 2 or more.
 */
export const joinSources: DeviceFn<
  (type: TypeFn, vector: TypeFn, n: number, nSrc: number, load: Load, store: Store, join: Join) => void
> = deviceFn(
  { name: 'joinSources', use: { packing, changed, changedSource, joined } },
  ({ packing, changed, changedSource, joined, vec, lane, sizeOf }, T, V, n, nSrc, load, store, join) => {
    const { op, before, after } = join;
    const A = packing.accumulator(T);
    if (A === T) {
      let total = V(0);
      for (let i = 0; i < nSrc; i++) {
        const next = changedSource(A, n, load(i), i, before);
        if (i === 0) total = next;
        else total = joined(A, n, total, next, op);
      }
      store(changed(A, n, total, after));
    } else if (n * sizeOf(A) <= 16) {
      let total = vec(A, n)(0);
      for (let i = 0; i < nSrc; i++) {
        const loaded = load(i);
        const widened = packing.byLane(vec(A, n), n, (k) => A(lane(loaded, k)));
        const next = changedSource(A, n, widened, i, before);
        if (i === 0) total = next;
        else total = joined(A, n, total, next, op);
      }
      const result = changed(A, n, total, after);
      store(packing.byLane(V, n, (k) => T(lane(result, k))));
    } else {
      // A vector has at most 16 bytes, so a value of twice that size takes two.
      const half = n / 2;
      const widened = (v: number, first: number): number =>
        packing.byLane(vec(A, half), half, (k) => A(lane(v, first + k)));
      let low = vec(A, half)(0);
      let high = vec(A, half)(0);
      for (let i = 0; i < nSrc; i++) {
        const next = load(i);
        const nextLow = changedSource(A, half, widened(next, 0), i, before);
        const nextHigh = changedSource(A, half, widened(next, half), i, before);
        if (i === 0) {
          low = nextLow;
          high = nextHigh;
        } else {
          low = joined(A, half, low, nextLow, op);
          high = joined(A, half, high, nextHigh, op);
        }
      }
      const lower = changed(A, half, low, after);
      const upper = changed(A, half, high, after);
      store(packing.byLane(V, n, (k) => T(k < half ? lane(lower, k) : lane(upper, k - half))));
    }
  },
);
