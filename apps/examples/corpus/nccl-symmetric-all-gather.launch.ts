import { symmetricKernel } from './nccl-symmetric-params.ts';

/** Launches ncclSymkRun_AllGather_ST, which counts bytes. */
export default symmetricKernel({
  entry: 'allGatherST',
  input: () => 1,
  output: (nRanks) => nRanks,
  elementBytes: 1,
  result: (i, _, count) => Math.floor(i / count) + (i % count),
});
