import { deviceFn, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { ReductionName } from '../red-op.ts';
import { elementReductions } from './element-reductions.ts';

/** Returns the location of element 0 of source or destination `i`. */
type PointerAt = (i: number) => Ptr;

/** Returns the scalar of a source. */
export type ScaleOf = (source: number) => number;

/**
 * Reduces `count` elements of `nSrc` sources, from the first source to the last, and stores the
 * results to all of `nDst` destinations. `nRanks` is the divisor of an average, and `scaleOf`
 * returns the factor of a source in a scaled sum, in the accumulating type.
 */
export type Reduce = (
  coop: CoopLike,
  type: TypeFn,
  src: PointerAt,
  nSrc: number,
  dst: PointerAt,
  nDst: number,
  count: number,
  nRanks: number,
  scaleOf: ScaleOf,
) => void;
export type ReduceFn = DeviceFn<Reduce>;

/**
 * The number of sources, if it is fixed, and the number of 16-byte accesses to each that a thread
 * has in flight.
 */
export interface Sources {
  readonly sources: number;
  readonly packs: number;
}

const anySources: Sources = Object.freeze({ sources: 0, packs: 1 });

/** The reduction by an operator. With 0 sources, their number is unknown. */
export function reductionBy(OP: ReductionName, { sources, packs }: Sources = anySources): ReduceFn {
  return deviceFn(
    { name: `reduce.${OP}`, use: { reduceCopy, element: elementReductions[OP], OP, sources, PACKS: packs } },
    (
      { reduceCopy, element, OP, sources, PACKS, sizeOf },
      coop: CoopLike,
      T: TypeFn,
      src: PointerAt,
      nSrc: number,
      dst: PointerAt,
      nDst: number,
      count: number,
      nRanks: number,
      scaleOf: ScaleOf,
    ) => {
      const op = (a: number, b: number): number => element.join(a, b);
      const before = (value: number, source: number): number => value * scaleOf(source);
      const after = (total: number): number => element.after(total, nRanks);
      const unroll = (PACKS * 16) / sizeOf(T);
      // A plain sum adds whole vectors.
      if (OP === 'sum') reduceCopy.lsaReduceSumLsaCopy(coop, T, src, nSrc, dst, nDst, count, { unroll, sources });
      else if (OP === 'preMulSum')
        reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, op, count, { unroll, sources, before });
      else if (OP === 'avg')
        reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, op, count, { unroll, sources, after });
      else reduceCopy.lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, op, count, { unroll, sources });
    },
  );
}

/** The reduction by each operator. */
export const reductions: Readonly<Record<ReductionName, ReduceFn>> = /* @__PURE__ */ Object.freeze({
  sum: reductionBy('sum'),
  prod: reductionBy('prod'),
  max: reductionBy('max'),
  min: reductionBy('min'),
  avg: reductionBy('avg'),
  preMulSum: reductionBy('preMulSum'),
});

/** Copies the bits of a single source. */
export const copyOne: ReduceFn = deviceFn(
  { name: 'copyOne', use: { reduceCopy } },
  (
    { reduceCopy },
    coop: CoopLike,
    _T: TypeFn,
    src: PointerAt,
    _nSrc: number,
    dst: PointerAt,
    nDst: number,
    count: number,
    _nRanks: number,
    _scaleOf: ScaleOf,
  ) => {
    reduceCopy.localCopy(coop, src(0), dst, nDst, count);
  },
);
