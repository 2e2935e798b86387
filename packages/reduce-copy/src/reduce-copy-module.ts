import type { CoopLike, Ptr } from '@nccl-ts/kernel';
import type { ReduceEach, SumEach } from './impl/reduce-each.ts';
import type { LocalCopy } from './local-copy.ts';
import type { LocalReduceSum } from './local-reduce-sum.ts';
import type { LsaCopy } from './lsa-copy.ts';
import type { LsaReduceSumCopy } from './lsa-reduce-sum-copy.ts';
import type { LsaReduceSumMultimemCopy } from './lsa-reduce-sum-multimem-copy.ts';
import type { LsaReduceSum } from './lsa-reduce-sum.ts';
import type { MultimemCopy } from './multimem-copy.ts';
import type { MultimemReduceSumCopy } from './multimem-reduce-sum-copy.ts';
import type { MultimemReduceSumLsaCopy } from './multimem-reduce-sum-lsa-copy.ts';
import type { MultimemReduceSum } from './multimem-reduce-sum.ts';
import type { ReduceCopyOptions, ReduceOptions } from './reduce-copy-options.ts';

/** The members of `reduceCopy` in a kernel. */
export interface ReduceCopy {
  /**
   * Sums `count` elements over the members of a team into the rank's own memory.
   *
   * @see ncclLsaReduceSum
   */
  readonly lsaReduceSum: LsaReduceSum;
  /**
   * Sums `count` elements of several regions of the rank's own memory into another.
   *
   * @see ncclLocalReduceSum
   */
  readonly localReduceSum: LocalReduceSum;
  /**
   * Copies `count` elements to the members of a team without changing a bit.
   *
   * @see ncclLsaCopy
   */
  readonly lsaCopy: LsaCopy;
  /**
   * Copies `count` elements to several regions of the rank's own memory without changing a bit.
   *
   * @see ncclLocalCopy
   */
  readonly localCopy: LocalCopy;
  /**
   * Sums `count` elements over the members of a team, and stores the sums to all of them.
   *
   * @see ncclLsaReduceSumCopy
   */
  readonly lsaReduceSumCopy: LsaReduceSumCopy;
  /**
   * Sums `count` elements of `nSrc` regions of the rank's own memory and stores the sums to `nDst`
   * others. Each region begins `srcDispl` or `dstDispl` elements after the previous one.
   *
   * @see ncclLocalReduceSumCopy
   */
  readonly localReduceSumCopy: (
    coop: CoopLike,
    nSrc: number,
    srcBase: Ptr,
    srcDispl: number,
    nDst: number,
    dstBase: Ptr,
    dstDispl: number,
    count: number,
    options?: ReduceCopyOptions,
  ) => void;
  /**
   * Like `lsaReduceLsaCopy`, with a sum.
   *
   * @see ncclLsaReduceSumLsaCopy
   */
  readonly lsaReduceSumLsaCopy: SumEach;
  /**
   * Reduces element `at` of `nSrc` sources by `op`, and stores the result to all of `nDst`
   * destinations. `src(i)` and `dst(i)` return pointers to elements of type T. `op` takes and
   * returns values of the accumulating type, which is f32 for f16 and bf16, f16 for FP8, and
   * otherwise T. It is applied from the first source to the last. `before` and `after` (not in
   * NCCL) convert values before and after the reduction, for example for a scaled sum or an
   * average.
   *
   * @see ncclLsaReduceLsaCopy
   */
  readonly lsaReduceLsaCopy: ReduceEach<ReduceOptions>;
  /**
   * Sums `count` elements over the ranks of a multimem handle into the rank's own memory. The
   * switch adds. Kernels with integers of 8 or 16 bits do not compile. Regions of elements with
   * less than 4 bytes must begin and end at multiples of 4 bytes.
   *
   * @see ncclMultimemReduceSum
   */
  readonly multimemReduceSum: MultimemReduceSum;
  /**
   * Copies `count` elements to the ranks of a multimem handle without changing a bit. The switch
   * writes to all of them. Regions of elements with less than 4 bytes must begin and end there at
   * multiples of 4 bytes.
   *
   * @see ncclMultimemCopy
   */
  readonly multimemCopy: MultimemCopy;
  /**
   * Sums `count` elements over the ranks of a multimem handle, and stores the sums to all ranks of
   * the same or another handle. The switch does both. Types and sizes are those of
   * `multimemReduceSum`.
   *
   * @see ncclMultimemReduceSumCopy
   */
  readonly multimemReduceSumCopy: MultimemReduceSumCopy;
  /**
   * Sums `count` elements over the members of a team, and stores the sums to the ranks of a
   * multimem handle. The switch writes to all of them. Regions of elements with less than 4 bytes
   * must begin and end there at multiples of 4 bytes.
   *
   * @see ncclLsaReduceSumMultimemCopy
   */
  readonly lsaReduceSumMultimemCopy: LsaReduceSumMultimemCopy;
  /**
   * Sums `count` elements over the ranks of a multimem handle, and stores the sums to the members
   * of a team. The switch computes the sums. Types and sizes are those of `multimemReduceSum`.
   *
   * @see ncclMultimemReduceSumLsaCopy
   */
  readonly multimemReduceSumLsaCopy: MultimemReduceSumLsaCopy;
  /**
   * Sums element `at` over all copies behind `nSrc` multicast pointers, and stores the sum to all
   * copies behind `nDst` others. `src(i)` and `dst(i)` return the pointers. Several sources are
   * added in the accumulating type. The sums over copies have the switch's own type. Types and
   * sizes are those of `multimemReduceSum`.
   *
   * @see ncclMultimemReduceSumMultimemCopy
   */
  readonly multimemReduceSumMultimemCopy: SumEach;
  /**
   * Like `lsaReduceLsaCopy`, but `dst(i)` returns multicast pointers. Regions of elements with less
   * than 4 bytes must begin and end there at multiples of 4 bytes.
   *
   * @see ncclLsaReduceMultimemCopy
   */
  readonly lsaReduceMultimemCopy: ReduceEach<ReduceCopyOptions>;
}
