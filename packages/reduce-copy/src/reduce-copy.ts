import { deviceModule, type DeviceModule } from '@nccl-ts/kernel';
import { localCopy } from './local-copy.ts';
import { localReduceSumCopy } from './local-reduce-sum-copy.ts';
import { localReduceSum } from './local-reduce-sum.ts';
import { lsaCopy } from './lsa-copy.ts';
import { lsaReduceLsaCopy, lsaReduceSumLsaCopy } from './lsa-reduce-lsa-copy.ts';
import { lsaReduceMultimemCopy } from './lsa-reduce-multimem-copy.ts';
import { lsaReduceSumCopy } from './lsa-reduce-sum-copy.ts';
import { lsaReduceSumMultimemCopy } from './lsa-reduce-sum-multimem-copy.ts';
import { lsaReduceSum } from './lsa-reduce-sum.ts';
import { multimemCopy } from './multimem-copy.ts';
import { multimemReduceSumCopy } from './multimem-reduce-sum-copy.ts';
import { multimemReduceSumLsaCopy } from './multimem-reduce-sum-lsa-copy.ts';
import { multimemReduceSumMultimemCopy } from './multimem-reduce-sum-multimem-copy.ts';
import { multimemReduceSum } from './multimem-reduce-sum.ts';
import type { ReduceCopy } from './reduce-copy-module.ts';

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
