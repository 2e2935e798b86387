import type { ApiRow } from './api-row.ts';
import { plannedRow } from './planned-row.ts';

/** Reductions and copies from and to the memory of several ranks. */
export const reduceCopy: readonly ApiRow[] = [
  plannedRow('1.9/lsaReduceSum', 'reduce-copy', 'ncclLsaReduceSum', ['source and destination that overlap in part']),
  plannedRow('1.9/multimemReduceSum', 'reduce-copy', 'ncclMultimemReduceSum'),
  plannedRow('1.9/localReduceSum', 'reduce-copy', 'ncclLocalReduceSum'),
  plannedRow('1.9/lsaCopy', 'reduce-copy', 'ncclLsaCopy'),
  plannedRow('1.9/multimemCopy', 'reduce-copy', 'ncclMultimemCopy'),
  plannedRow('1.9/localCopy', 'reduce-copy', 'ncclLocalCopy'),
  plannedRow('1.9/lsaReduceSumCopy', 'reduce-copy', 'ncclLsaReduceSumCopy'),
  plannedRow('1.9/multimemReduceSumCopy', 'reduce-copy', 'ncclMultimemReduceSumCopy'),
  plannedRow('1.9/lsaReduceSumMultimemCopy', 'reduce-copy', 'ncclLsaReduceSumMultimemCopy'),
  plannedRow('1.9/multimemReduceSumLsaCopy', 'reduce-copy', 'ncclMultimemReduceSumLsaCopy'),
  plannedRow('1.9/localReduceSumCopy', 'reduce-copy', 'ncclLocalReduceSumCopy'),
  plannedRow(
    '1.9/lambdaForms',
    'reduce-copy',
    'ncclLsaReduceSumLsaCopy, …MultimemCopy, ncclMultimemReduceSumMultimemCopy, with lambdas',
  ),
  plannedRow('1.9/customOp', 'reduce-copy', 'ncclLsaReduceLsaCopy, ncclLsaReduceMultimemCopy'),
];
