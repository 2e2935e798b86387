import { symmetricKernel } from './nccl-symmetric-params.ts';

/** Launches ncclSymkRun_ReduceScatter_LD for sums of f32. */
export default symmetricKernel({
  entry: 'reduceScatterLD',
  input: (nRanks) => nRanks,
  output: () => 1,
  elementBytes: 4,
  result: (i, { rank, sum }, count) => sum((r) => r + rank * count + i),
});
