import { deviceModule, type AuthorOf, type DeviceModule } from '@nccl-ts/kernel';
import { localCopy, type LocalCopy } from './local-copy.ts';
import { localReduceSumCopy } from './local-reduce-sum-copy.ts';
import { localReduceSum, type LocalReduceSum } from './local-reduce-sum.ts';
import { lsaCopy, type LsaCopy } from './lsa-copy.ts';
import { lsaReduceLsaCopy, lsaReduceSumLsaCopy } from './lsa-reduce-lsa-copy.ts';
import { lsaReduceSumCopy, type LsaReduceSumCopy } from './lsa-reduce-sum-copy.ts';
import { lsaReduceSum, type LsaReduceSum } from './lsa-reduce-sum.ts';

/** What `reduceCopy` is in a kernel. */
export interface ReduceCopy {
  readonly lsaReduceSum: LsaReduceSum;
  readonly localReduceSum: LocalReduceSum;
  readonly lsaCopy: LsaCopy;
  readonly localCopy: LocalCopy;
  readonly lsaReduceSumCopy: LsaReduceSumCopy;
  readonly localReduceSumCopy: AuthorOf<typeof localReduceSumCopy>;
  readonly lsaReduceSumLsaCopy: AuthorOf<typeof lsaReduceSumLsaCopy>;
  readonly lsaReduceLsaCopy: AuthorOf<typeof lsaReduceLsaCopy>;
}

/** Sums over ranks and copies to ranks, shared out among the threads of a group: `use: { reduceCopy }`. */
export const reduceCopy: DeviceModule<ReduceCopy> = deviceModule('reduceCopy', {
  lsaReduceSum,
  localReduceSum,
  lsaCopy,
  localCopy,
  lsaReduceSumCopy,
  localReduceSumCopy,
  lsaReduceSumLsaCopy,
  lsaReduceLsaCopy,
});
