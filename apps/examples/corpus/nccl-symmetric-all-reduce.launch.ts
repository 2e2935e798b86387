import { symmetricKernel } from './nccl-symmetric-params.ts';

/** Launches ncclSymkRun_AllReduce_RSxLD_AGxST for sums of f32. */
export default symmetricKernel({
  entry: 'allReduceRSxLD',
  input: () => 1,
  output: () => 1,
  elementBytes: 4,
  result: (i, { sum }) => sum((r) => r + i),
});
