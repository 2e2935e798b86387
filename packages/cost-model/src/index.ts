export {
  resolveTrace,
  valueAt,
  type CostModel,
  type SimByCtas,
  type SimByRanks,
  type SimLinkCost,
  type SimMemoryCost,
  type SimNetworkCost,
  type SimNvlinkCost,
  type SimTraceOptions,
} from './cost-model.ts';
export { MACHINE_PROFILE, traceOfProfile } from './machine-profile.ts';
export { machines } from './machines.ts';
export type { TracedLaunch, TracedMemory, TracedRequest, TracedStream } from './trace/traced-machine.ts';
export type { LinkTraffic } from './trace/traffic.ts';
