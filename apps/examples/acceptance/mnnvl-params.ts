import { bytes, ptr, struct, u32 } from '@nccl-ts/harness';

/** The parameters of FlashInfer's AllReduce kernels over multicast memory. */
export const AllReduceKernelParams = struct({
  outputPtr: ptr,
  prenormedPtr: ptr,
  shardPtr: ptr,
  residualInPtr: ptr,
  gammaPtr: ptr,
  inputPtrs: ptr,
  mcastPtr: ptr,
  localBufferPtr: ptr,
  nRanks: u32,
  rank: u32,
  numTokens: u32,
  tokenDim: u32,
  rest: bytes(40, 8),
  bufferFlags: ptr,
});
