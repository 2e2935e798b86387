import { deviceFn, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { ReductionName } from '../red-op.ts';

/** Where element 0 of source or destination `i` is. */
type Place = (i: number) => Ptr;

/** The scalar of a source. */
export type ScaleOf = (source: number) => number;

/**
 * `count` elements of `nSrc` sources, reduced from the first source to the last, at all of `nDst` destinations. `nRanks` is
 * what an average divides by, `scaleOf` says
 * what a scaled sum multiplies a source's values with, in the accumulating type.
 */
export type Reduce = (
  coop: CoopLike,
  type: TypeFn,
  src: Place,
  nSrc: number,
  dst: Place,
  nDst: number,
  count: number,
  nRanks: number,
  scaleOf: ScaleOf,
) => void;
export type Reduction = DeviceFn<Reduce>;

const use = { reduceCopy };

const sum: Reduction = deviceFn(
  { name: 'reduceSum', use },
  (
    { reduceCopy },
    coop: CoopLike,
    T: TypeFn,
    src: Place,
    nSrc: number,
    dst: Place,
    nDst: number,
    count: number,
    _nRanks: number,
    _scaleOf: ScaleOf,
  ) => {
    reduceCopy.lsaReduceSumLsaCopy(coop, T, src, nSrc, dst, nDst, count);
  },
);

const prod: Reduction = deviceFn(
  { name: 'reduceProd', use },
  (
    { reduceCopy },
    coop: CoopLike,
    T: TypeFn,
    src: Place,
    nSrc: number,
    dst: Place,
    nDst: number,
    count: number,
    _nRanks: number,
    _scaleOf: ScaleOf,
  ) => {
    reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, (a, b) => a * b, count);
  },
);

const maximum: Reduction = deviceFn(
  { name: 'reduceMax', use },
  (
    { reduceCopy, max },
    coop: CoopLike,
    T: TypeFn,
    src: Place,
    nSrc: number,
    dst: Place,
    nDst: number,
    count: number,
    _nRanks: number,
    _scaleOf: ScaleOf,
  ) => {
    reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, (a, b) => max(a, b), count);
  },
);

const minimum: Reduction = deviceFn(
  { name: 'reduceMin', use },
  (
    { reduceCopy, min },
    coop: CoopLike,
    T: TypeFn,
    src: Place,
    nSrc: number,
    dst: Place,
    nDst: number,
    count: number,
    _nRanks: number,
    _scaleOf: ScaleOf,
  ) => {
    reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, (a, b) => min(a, b), count);
  },
);

const average: Reduction = deviceFn(
  { name: 'reduceAvg', use },
  (
    { reduceCopy, typeOf },
    coop: CoopLike,
    T: TypeFn,
    src: Place,
    nSrc: number,
    dst: Place,
    nDst: number,
    count: number,
    nRanks: number,
    _scaleOf: ScaleOf,
  ) => {
    const after = (total: number): number => total / typeOf(total)(nRanks);
    reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, (a, b) => a + b, count, { after });
  },
);

const scaledSum: Reduction = deviceFn(
  { name: 'reduceScaledSum', use },
  (
    { reduceCopy },
    coop: CoopLike,
    T: TypeFn,
    src: Place,
    nSrc: number,
    dst: Place,
    nDst: number,
    count: number,
    _nRanks: number,
    scaleOf: ScaleOf,
  ) => {
    const before = (value: number, source: number): number => value * scaleOf(source);
    reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, (a, b) => a + b, count, { before });
  },
);

/** How each operator reduces. */
export const reductions: Readonly<Record<ReductionName, Reduction>> = Object.freeze({
  sum,
  prod,
  max: maximum,
  min: minimum,
  avg: average,
  preMulSum: scaledSum,
});

/** What has one source: its bits, as they are. */
export const copyOne: Reduction = deviceFn(
  { name: 'copyOne', use },
  (
    { reduceCopy },
    coop: CoopLike,
    _T: TypeFn,
    src: Place,
    _nSrc: number,
    dst: Place,
    nDst: number,
    count: number,
    _nRanks: number,
    _scaleOf: ScaleOf,
  ) => {
    reduceCopy.localCopy(coop, src(0), dst, nDst, count);
  },
);
