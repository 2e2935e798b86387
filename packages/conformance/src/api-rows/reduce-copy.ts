import type { ApiRow } from './api-row.ts';

const overlap: ApiRow['traps'] = [
  { trap: 'a source and a destination that overlap in part', cases: ['traps/reduce-copy/partial-overlap'] },
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
  {
    id: '1.9/multimemReduceSum',
    nccl: 'ncclMultimemReduceSum',
    here: 'reduceCopy.multimemReduceSum',
    cases: [
      'reduce-copy/multimem-reduce-sum/i32',
      'reduce-copy/multimem-reduce-sum/u32',
      'reduce-copy/multimem-reduce-sum/i64',
      'reduce-copy/multimem-reduce-sum/u64',
      'reduce-copy/multimem-reduce-sum/f16',
      'reduce-copy/multimem-reduce-sum/bf16',
      'reduce-copy/multimem-reduce-sum/f32',
      'reduce-copy/multimem-reduce-sum/f64',
      'reduce-copy/multimem-reduce-sum/e4m3',
      'reduce-copy/multimem-reduce-sum/e5m2',
      'reduce-copy/multimem-reduce-sum/places',
    ],
    traps: [{ trap: 'small elements that begin or end within 4 bytes', cases: ['traps/reduce-copy/part-of-word'] }],
  },
  {
    id: '1.9/localReduceSum',
    nccl: 'ncclLocalReduceSum',
    here: 'reduceCopy.localReduceSum',
    cases: ['reduce-copy/strided'],
  },
  { id: '1.9/lsaCopy', nccl: 'ncclLsaCopy', here: 'reduceCopy.lsaCopy', cases: ['reduce-copy/lsa-copy'] },
  {
    id: '1.9/multimemCopy',
    nccl: 'ncclMultimemCopy',
    here: 'reduceCopy.multimemCopy',
    cases: ['reduce-copy/multimem-copy/u8', 'reduce-copy/multimem-copy/i16', 'reduce-copy/multimem-copy/u64'],
  },
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
  {
    id: '1.9/multimemReduceSumCopy',
    nccl: 'ncclMultimemReduceSumCopy',
    here: 'reduceCopy.multimemReduceSumCopy',
    cases: [
      'reduce-copy/multimem-reduce-sum-copy/sym-ptrs',
      'reduce-copy/multimem-reduce-sum-copy/pointers',
      'reduce-copy/multimem-reduce-sum-copy/windows',
    ],
  },
  {
    id: '1.9/lsaReduceSumMultimemCopy',
    nccl: 'ncclLsaReduceSumMultimemCopy',
    here: 'reduceCopy.lsaReduceSumMultimemCopy',
    cases: ['reduce-copy/lsa-reduce-sum-multimem-copy/sym-ptrs', 'reduce-copy/lsa-reduce-sum-multimem-copy/pointer'],
  },
  {
    id: '1.9/multimemReduceSumLsaCopy',
    nccl: 'ncclMultimemReduceSumLsaCopy',
    here: 'reduceCopy.multimemReduceSumLsaCopy',
    cases: ['reduce-copy/multimem-reduce-sum-lsa-copy/sym-ptrs', 'reduce-copy/multimem-reduce-sum-lsa-copy/pointer'],
  },
  {
    id: '1.9/localReduceSumCopy',
    nccl: 'ncclLocalReduceSumCopy',
    here: 'reduceCopy.localReduceSumCopy',
    cases: ['reduce-copy/strided'],
  },
  {
    id: '1.9/lambdaForms',
    nccl: 'ncclLsaReduceSumLsaCopy, …MultimemCopy, ncclMultimemReduceSumMultimemCopy, with lambdas',
    here: 'reduceCopy.lsaReduceSumLsaCopy, …MultimemCopy, multimemReduceSumLsaCopy, …MultimemCopy',
    cases: [
      'reduce-copy/lsa-reduce-sum-lsa-copy',
      'reduce-copy/lsa-reduce-sum-multimem-copy/places',
      'reduce-copy/multimem-reduce-sum-lsa-copy/places',
      'reduce-copy/multimem-reduce-sum-multimem-copy',
    ],
  },
  {
    id: '1.9/customOp',
    nccl: 'ncclLsaReduceLsaCopy, ncclLsaReduceMultimemCopy',
    here: 'reduceCopy.lsaReduceLsaCopy, reduceCopy.lsaReduceMultimemCopy',
    cases: ['reduce-copy/lsa-reduce-lsa-copy', 'reduce-copy/lsa-reduce-multimem-copy'],
  },
];
