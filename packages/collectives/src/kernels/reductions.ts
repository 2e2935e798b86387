import { deviceFn, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { ReductionName } from '../red-op.ts';

/** Where element 0 of source or destination `i` is. */
type Place = (i: number) => Ptr;

/**
 * `count` elements of `nSrc` sources, reduced from the first source to the last, at all of `nDst` destinations. `nRanks` is
 * what an average divides by, `scale` (of the accumulating type) what a scaled sum multiplies with.
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
  scale: number,
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
    _scale: number,
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
    _scale: number,
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
    _scale: number,
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
    _scale: number,
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
    _scale: number,
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
    scale: number,
  ) => {
    const before = (value: number): number => value * scale;
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
    _scale: number,
  ) => {
    reduceCopy.localCopy(coop, src(0), dst, nDst, count);
  },
);
