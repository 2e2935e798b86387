import { f32, i32, ptr, struct, u32 } from '@nccl-ts/harness';

const common = {
  nRanks: u32,
  rank: u32,
  size: u32,
  hiddenDim: u32,
  workspace: ptr,
  allReduceIn: ptr,
  allReduceOut: ptr,
  residualIn: ptr,
  residualOut: ptr,
  normOut: ptr,
  quantOut: ptr,
  scaleOut: ptr,
  gamma: ptr,
  epsilon: f32,
  weightBias: f32,
  scaleFactor: f32,
  layout: u32,
  stream: ptr,
  moeOut: ptr,
};

/** MoeReductionAllReduceFusionParams<half> of FlashInfer. */
export const MoeReductionParams = struct({
  ...common,
  experts: i32,
  scales: ptr,
  expertInput: ptr,
  tokenInput: ptr,
});

/** MoeFinalizeAllReduceFusionParams<half> of FlashInfer. */
export const MoeFinalizeParams = struct({
  ...common,
  topK: i32,
  expertScale: ptr,
  sharedExpert: ptr,
  rows: ptr,
  routedScale: f32,
});
