import { deviceFn, type CoopLike, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';
import { alike, inPacks, type Place } from './in-packs.ts';
import { accumulator, byLane, packWidth } from './packs.ts';

/** A reduction of two values of the accumulating type; left out: their sum. */
export type Operator = (a: number, b: number) => number;

interface Joined {
  readonly src: Place;
  readonly nSrc: number;
  readonly dst: Place;
  readonly nDst: number;
}

/** Element `at` of all sources, one after the other, to all destinations. */
const reduceElement: DeviceFn<(type: TypeFn, at: number, of: Joined, op?: Operator) => void> = deviceFn(
  { name: 'reduceElement', use: { accumulator } },
  ({ accumulator }, T: TypeFn, at: number, { src, nSrc, dst, nDst }: Joined, op?: Operator) => {
    const A = accumulator(T);
    // One place that loads and widens for all sources: code is what shaders take long to compile for.
    let total = A(0);
    for (let i = 0; i < nSrc; i++) {
      const next = A(src(i).load(at));
      if (i === 0) total = next;
      else total = A(op === undefined ? total + next : op(total, next));
    }
    for (let i = 0; i < nDst; i++) dst(i).store(at, T(total));
  },
);

/** Two vectors of `n` elements of type A reduced to one. */
const joined: DeviceFn<(type: TypeFn, n: number, a: number, b: number, op?: Operator) => number> = deviceFn(
  { name: 'joined', use: { byLane } },
  ({ byLane, vec, lane }, A: TypeFn, n: number, a: number, b: number, op?: Operator) =>
    op === undefined ? a + b : byLane(vec(A, n), n, (k) => A(op(lane(a, k), lane(b, k)))),
);

/** The same for the 16 bytes from element `at` on. */
const reducePack: DeviceFn<(type: TypeFn, at: number, of: Joined, op?: Operator) => void> = deviceFn(
  { name: 'reducePack', use: { accumulator, packWidth, byLane, joined } },
  (
    { accumulator, packWidth, byLane, joined, vec, lane },
    T: TypeFn,
    at: number,
    { src, nSrc, dst, nDst }: Joined,
    op?: Operator,
  ) => {
    const A = accumulator(T);
    const width = packWidth(T);
    const V = vec(T, width);
    const load = (i: number): number => src(i).offset(at).cast(V).load(0);
    const store = (total: number): void => {
      for (let i = 0; i < nDst; i++) dst(i).offset(at).cast(V).store(0, total);
    };
    if (A === T) {
      let total = V(0);
      for (let i = 0; i < nSrc; i++) {
        const next = load(i);
        if (i === 0) total = next;
        else total = joined(A, width, total, next, op);
      }
      store(total);
    } else {
      // No vector holds more than 16 bytes: what is twice as wide takes two.
      const half = width / 2;
      const widened = (v: number, first: number): number => byLane(vec(A, half), half, (k) => A(lane(v, first + k)));
      let low = vec(A, half)(0);
      let high = vec(A, half)(0);
      for (let i = 0; i < nSrc; i++) {
        const next = load(i);
        const nextLow = widened(next, 0);
        const nextHigh = widened(next, half);
        if (i === 0) {
          low = nextLow;
          high = nextHigh;
        } else {
          low = joined(A, half, low, nextLow, op);
          high = joined(A, half, high, nextHigh, op);
        }
      }
      store(byLane(V, width, (k) => T(k < half ? lane(low, k) : lane(high, k - half))));
    }
  },
);

/**
 * Reduces `nSrc` sources to `nDst` destinations, of `count` elements each, in the order of the sources. `symmetric` (a
 * constant) says that all sources are aligned as the first is, and so are all destinations.
 */
export const reduceElements: DeviceFn<
  (coop: CoopLike, type: TypeFn, of: Joined, count: number, symmetric: boolean, op?: Operator) => void
> = deviceFn(
  { name: 'reduceElements', use: { alike, inPacks, reduceElement, reducePack } },
  (
    { alike, inPacks, reduceElement, reducePack },
    coop: CoopLike,
    T: TypeFn,
    of: Joined,
    count: number,
    symmetric: boolean,
    op?: Operator,
  ) => {
    const misalignment = of.dst(0).misalignment(16);
    const together = symmetric
      ? of.src(0).misalignment(16) === misalignment
      : alike(of.src, of.nSrc, misalignment) && alike(of.dst, of.nDst, misalignment);
    inPacks(
      coop,
      T,
      misalignment,
      together,
      count,
      (at) => {
        reducePack(T, at, of, op);
      },
      (at) => {
        reduceElement(T, at, of, op);
      },
    );
  },
);
