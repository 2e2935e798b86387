import { row, type Row } from './row.ts';

/** Reductions and copies from and to the memory of several ranks. */
export const reduceCopy: readonly Row[] = [
  row('ncclLsaReduceSum', 'reduce-copy/lsa-reduce-sum/*', {
    traps: { 'a source and a destination that overlap in part': 'traps/reduce-copy/partial-overlap' },
  }),
  row('ncclMultimemReduceSum', 'reduce-copy/multimem-reduce-sum/*', {
    traps: { 'small elements that begin or end within 4 bytes': 'traps/reduce-copy/part-of-word' },
  }),
  row('ncclLocalReduceSum', 'reduce-copy/strided'),
  row('ncclLsaCopy', 'reduce-copy/lsa-copy'),
  row('ncclMultimemCopy', 'reduce-copy/multimem-copy/*'),
  row('ncclLocalCopy', 'reduce-copy/strided', {
    traps: { 'destinations that overlap': 'traps/reduce-copy/stride-too-small' },
  }),
  row('ncclLsaReduceSumCopy', 'reduce-copy/lsa-reduce-sum-copy/*'),
  row('ncclMultimemReduceSumCopy', 'reduce-copy/multimem-reduce-sum-copy/*'),
  row(
    'ncclLsaReduceSumMultimemCopy',
    'reduce-copy/lsa-reduce-sum-multimem-copy/sym-ptrs reduce-copy/lsa-reduce-sum-multimem-copy/pointer',
  ),
  row(
    'ncclMultimemReduceSumLsaCopy',
    'reduce-copy/multimem-reduce-sum-lsa-copy/sym-ptrs reduce-copy/multimem-reduce-sum-lsa-copy/pointer',
  ),
  row('ncclLocalReduceSumCopy', 'reduce-copy/strided'),
  row(
    `ncclLsaReduceSumLsaCopy ncclLsaReduceSumMultimemCopy
     ncclMultimemReduceSumLsaCopy ncclMultimemReduceSumMultimemCopy`,
    `reduce-copy/lsa-reduce-sum-lsa-copy reduce-copy/multimem-reduce-sum-multimem-copy
     reduce-copy/lsa-reduce-sum-multimem-copy/places reduce-copy/multimem-reduce-sum-lsa-copy/places`,
    { form: 'with lambdas' },
  ),
  row(
    'ncclLsaReduceLsaCopy ncclLsaReduceMultimemCopy',
    'reduce-copy/lsa-reduce-lsa-copy reduce-copy/lsa-reduce-multimem-copy',
  ),
];
