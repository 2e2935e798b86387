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

/** How many sources there always are, and how many times 16 bytes of each a thread has under way. */
export interface Sources {
  readonly sources: number;
  readonly packs: number;
}

const anySources: Sources = Object.freeze({ sources: 0, packs: 1 });

/** How an operator reduces. Of 0 sources nothing is known. */
export function reductionBy(OP: ReductionName, { sources, packs }: Sources = anySources): Reduction {
  const { join, after: finish } = elementReductions[OP];
  return deviceFn(
    { name: `reduce.${OP}`, use: { reduceCopy, join, finish, OP, sources, PACKS: packs } },
    (
      { reduceCopy, join, finish, OP, sources, PACKS, sizeOf },
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
      const unroll = (PACKS * 16) / sizeOf(T);
      // A plain sum is one of whole vectors.
      if (OP === 'sum') reduceCopy.lsaReduceSumLsaCopy(coop, T, src, nSrc, dst, nDst, count, { unroll, sources });
      else if (OP === 'preMulSum')
        reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, op, count, { unroll, sources, before });
      else if (OP === 'avg')
        reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, op, count, { unroll, sources, after });
      else reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, op, count, { unroll, sources });
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
