import { deviceFn, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { ReductionName } from '../red-op.ts';
import { elementReductions } from './element-reductions.ts';

/** Where element 0 of source or destination `i` is. */
type Place = (i: number) => Ptr;

/** The scalar of a source. */
export type ScaleOf = (source: number) => number;

/**
 * `count` elements of `nSrc` sources, reduced from the first source to the last, at all of `nDst` destinations. `nRanks` is
 * what an average divides by, `scaleOf` says what a scaled sum multiplies a source's values with, in the accumulating type.
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

function reductionBy(OP: ReductionName): Reduction {
  const { join, after: finish } = elementReductions[OP];
  return deviceFn(
    { name: `reduce.${OP}`, use: { reduceCopy, join, finish, OP } },
    (
      { reduceCopy, join, finish, OP },
      coop: CoopLike,
      T: TypeFn,
      src: Place,
      nSrc: number,
      dst: Place,
      nDst: number,
      count: number,
      nRanks: number,
      scaleOf: ScaleOf,
    ) => {
      const op = (a: number, b: number): number => join(a, b);
      const before = (value: number, source: number): number => value * scaleOf(source);
      const after = (total: number): number => finish(total, nRanks);
      // A plain sum is one of whole vectors.
      if (OP === 'sum') reduceCopy.lsaReduceSumLsaCopy(coop, T, src, nSrc, dst, nDst, count);
      else if (OP === 'preMulSum') reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, op, count, { before });
      else if (OP === 'avg') reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, op, count, { after });
      else reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, op, count);
    },
  );
}

/** How each operator reduces. */
export const reductions: Readonly<Record<ReductionName, Reduction>> = /* @__PURE__ */ Object.freeze({
  sum: reductionBy('sum'),
  prod: reductionBy('prod'),
  max: reductionBy('max'),
  min: reductionBy('min'),
  avg: reductionBy('avg'),
  preMulSum: reductionBy('preMulSum'),
});

/** What has one source: its bits, as they are. */
export const copyOne: Reduction = deviceFn(
  { name: 'copyOne', use: { reduceCopy } },
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
