import type { SimTraceOptions } from '@nccl-ts/cost-model';

const FAST = 1e9;

/** A machine on which only the instructions and steps of a warp take time. */
export const machine: SimTraceOptions = {
  launchLatency: 0,
  issueTime: 1,
  syncTime: 0,
  fenceTime: 0,
  ctaBandwidth: FAST,
  memory: { latency: 0, cachedLatency: 0, bandwidth: FAST, ctaBandwidth: FAST },
  nvlink: { latency: 0, loadLatency: 0, bandwidth: FAST, storeBandwidth: FAST },
};
