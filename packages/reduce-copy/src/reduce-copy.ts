import { deviceModule, type AuthorOf, type DeviceModule } from '@nccl-ts/kernel';
import { localCopy, type LocalCopy } from './local-copy.ts';
import { localReduceSumCopy } from './local-reduce-sum-copy.ts';
import { localReduceSum, type LocalReduceSum } from './local-reduce-sum.ts';
import { lsaCopy, type LsaCopy } from './lsa-copy.ts';
import { lsaReduceLsaCopy, lsaReduceSumLsaCopy } from './lsa-reduce-lsa-copy.ts';
import { lsaReduceMultimemCopy } from './lsa-reduce-multimem-copy.ts';
import { lsaReduceSumCopy, type LsaReduceSumCopy } from './lsa-reduce-sum-copy.ts';
import { lsaReduceSumMultimemCopy, type LsaReduceSumMultimemCopy } from './lsa-reduce-sum-multimem-copy.ts';
import { lsaReduceSum, type LsaReduceSum } from './lsa-reduce-sum.ts';
import { multimemCopy, type MultimemCopy } from './multimem-copy.ts';
import { multimemReduceSumCopy, type MultimemReduceSumCopy } from './multimem-reduce-sum-copy.ts';
import { multimemReduceSumLsaCopy, type MultimemReduceSumLsaCopy } from './multimem-reduce-sum-lsa-copy.ts';
import { multimemReduceSumMultimemCopy } from './multimem-reduce-sum-multimem-copy.ts';
import { multimemReduceSum, type MultimemReduceSum } from './multimem-reduce-sum.ts';

/** The members of `reduceCopy` in a kernel. */
export interface ReduceCopy {
  readonly lsaReduceSum: LsaReduceSum;
  readonly localReduceSum: LocalReduceSum;
  readonly lsaCopy: LsaCopy;
  readonly localCopy: LocalCopy;
  readonly lsaReduceSumCopy: LsaReduceSumCopy;
  readonly localReduceSumCopy: AuthorOf<typeof localReduceSumCopy>;
  readonly lsaReduceSumLsaCopy: AuthorOf<typeof lsaReduceSumLsaCopy>;
  readonly lsaReduceLsaCopy: AuthorOf<typeof lsaReduceLsaCopy>;
  readonly multimemReduceSum: MultimemReduceSum;
  readonly multimemCopy: MultimemCopy;
  readonly multimemReduceSumCopy: MultimemReduceSumCopy;
  readonly lsaReduceSumMultimemCopy: LsaReduceSumMultimemCopy;
  readonly multimemReduceSumLsaCopy: MultimemReduceSumLsaCopy;
  readonly multimemReduceSumMultimemCopy: AuthorOf<typeof multimemReduceSumMultimemCopy>;
  readonly lsaReduceMultimemCopy: AuthorOf<typeof lsaReduceMultimemCopy>;
}

/**
 * Sums over ranks and copies to ranks. The threads of a group divide the work: `use: { reduceCopy
 * }`.
 */
export const reduceCopy: DeviceModule<ReduceCopy> = deviceModule('reduceCopy', {
  lsaReduceSum,
  localReduceSum,
  lsaCopy,
  localCopy,
  lsaReduceSumCopy,
  localReduceSumCopy,
  lsaReduceSumLsaCopy,
  lsaReduceLsaCopy,
  multimemReduceSum,
  multimemCopy,
  multimemReduceSumCopy,
  lsaReduceSumMultimemCopy,
  multimemReduceSumLsaCopy,
  multimemReduceSumMultimemCopy,
  lsaReduceMultimemCopy,
});
