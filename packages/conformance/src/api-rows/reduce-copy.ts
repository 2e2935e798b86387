import type { ApiRow } from './api-row.ts';
import { plannedRow } from './planned-row.ts';

const overlap: ApiRow['traps'] = [
  { trap: 'source and destination that overlap in part', cases: ['traps/reduce-copy/partial-overlap'] },
];

/** Reductions and copies from and to the memory of several ranks. */
export const reduceCopy: readonly ApiRow[] = [
  {
    id: '1.9/lsaReduceSum',
    nccl: 'ncclLsaReduceSum',
    here: 'reduceCopy.lsaReduceSum',
    cases: [
      'reduce-copy/lsa-reduce-sum/i8',
      'reduce-copy/lsa-reduce-sum/u8',
      'reduce-copy/lsa-reduce-sum/i16',
      'reduce-copy/lsa-reduce-sum/u16',
      'reduce-copy/lsa-reduce-sum/i32',
      'reduce-copy/lsa-reduce-sum/u32',
      'reduce-copy/lsa-reduce-sum/i64',
      'reduce-copy/lsa-reduce-sum/u64',
      'reduce-copy/lsa-reduce-sum/f16',
      'reduce-copy/lsa-reduce-sum/bf16',
      'reduce-copy/lsa-reduce-sum/f32',
      'reduce-copy/lsa-reduce-sum/f64',
      'reduce-copy/lsa-reduce-sum/e4m3',
      'reduce-copy/lsa-reduce-sum/e5m2',
      'reduce-copy/lsa-reduce-sum/places',
      'reduce-copy/lsa-reduce-sum/team',
    ],
    traps: overlap,
  },
  plannedRow('1.9/multimemReduceSum', 'reduce-copy', 'ncclMultimemReduceSum'),
  {
    id: '1.9/localReduceSum',
    nccl: 'ncclLocalReduceSum',
    here: 'reduceCopy.localReduceSum',
    cases: ['reduce-copy/strided'],
  },
  { id: '1.9/lsaCopy', nccl: 'ncclLsaCopy', here: 'reduceCopy.lsaCopy', cases: ['reduce-copy/lsa-copy'] },
  plannedRow('1.9/multimemCopy', 'reduce-copy', 'ncclMultimemCopy'),
  {
    id: '1.9/localCopy',
    nccl: 'ncclLocalCopy',
    here: 'reduceCopy.localCopy',
    cases: ['reduce-copy/strided'],
    traps: [{ trap: 'destinations that overlap', cases: ['traps/reduce-copy/stride-too-small'] }],
  },
  {
    id: '1.9/lsaReduceSumCopy',
    nccl: 'ncclLsaReduceSumCopy',
    here: 'reduceCopy.lsaReduceSumCopy',
    cases: ['reduce-copy/lsa-reduce-sum-copy/teams', 'reduce-copy/lsa-reduce-sum-copy/windows'],
  },
  plannedRow('1.9/multimemReduceSumCopy', 'reduce-copy', 'ncclMultimemReduceSumCopy'),
  plannedRow('1.9/lsaReduceSumMultimemCopy', 'reduce-copy', 'ncclLsaReduceSumMultimemCopy'),
  plannedRow('1.9/multimemReduceSumLsaCopy', 'reduce-copy', 'ncclMultimemReduceSumLsaCopy'),
  {
    id: '1.9/localReduceSumCopy',
    nccl: 'ncclLocalReduceSumCopy',
    here: 'reduceCopy.localReduceSumCopy',
    cases: ['reduce-copy/strided'],
  },
  {
    id: '1.9/lambdaForms',
    nccl: 'ncclLsaReduceSumLsaCopy, …MultimemCopy, ncclMultimemReduceSumMultimemCopy, with lambdas',
    here: 'reduceCopy.lsaReduceSumLsaCopy',
    cases: ['reduce-copy/lsa-reduce-sum-lsa-copy'],
  },
  {
    id: '1.9/customOp',
    nccl: 'ncclLsaReduceLsaCopy, ncclLsaReduceMultimemCopy',
    here: 'reduceCopy.lsaReduceLsaCopy',
    cases: ['reduce-copy/lsa-reduce-lsa-copy'],
  },
];
