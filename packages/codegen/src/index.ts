export { emitJs, emitLooking, type EmitJsOptions } from './emit-js/emit-js.ts';
export { shmemRequest, type ShmemRequest } from './program/shmem-request.ts';
export { simCapabilities } from './emit-js/sim-capabilities.ts';
export { bindProgram, programFunction, type CreateProgram } from './emit-js/program-function.ts';
export type { CompiledRegions, KernelRegions, RegionCompiler } from './emit-shared/kernel-regions.ts';
export { ROUNDS_UNSEEN } from './emit-shared/pausing.ts';
export { nonCoherentSpans } from './emit-shared/non-coherent-spans.ts';
export { polledSpans, waitedSpans } from './emit-shared/polled-spans.ts';
export type {
  ClusterArrival,
  ClusterCaller,
  ClusterMember,
  ClusterPort,
  ClusterReports,
} from './program/cluster-port.ts';
export { clusterPlace, ctaOfPlace, type ClusterPlace } from './program/cluster-place.ts';
export { ctaIdentity, ctaIndex } from './program/cta-identity.ts';
export type { CtaTrace, ReleaseScope, TracedAccess } from './program/cta-trace.ts';
export { flatAddress, splitFlatAddress, SLOT_BYTES, WINDOW_ALIGN } from './program/flat-address.ts';
export { FRAME_BYTES } from './program/frame-bytes.ts';
export { viewsOf, type HeapViews } from './program/heap-views.ts';
export { noLaneText, noMemberText } from './program/lane-text.ts';
export { missingText, type ReachedBarrier } from './program/meeting-text.ts';
export { networkMisuse } from './program/network-misuse.ts';
export type {
  ArgValue,
  BulkGroups,
  BulkWatch,
  Caller,
  Cta,
  CtaStatus,
  CtaWatch,
  DevCommValue,
  FabricPort,
  FabricReduction,
  GridDependencyPort,
  LinearMemory,
  Multicast,
  NetworkPort,
  PortableCode,
  PostedOperation,
  PostedRequest,
  KernelProgram,
  ProgramCode,
  ProgramHost,
  Regions,
  SharedRange,
  Specialisation,
  TimedLook,
  WatchedSpace,
  WindowCopies,
  WindowLocation,
  WindowValue,
} from './program/program.ts';
export type { BoundRegions, RegionReport } from './program/region.ts';
export { strayBase, strayPeer } from './program/stray-peer.ts';
export type { GatheredLanes, ThreadPace } from './program/thread-pace.ts';
export {
  compileModule,
  createMemory,
  hasWebAssembly,
  instantiate,
  noWebAssembly,
  PAGE_BYTES,
  type WebAssemblyMemory,
  type WebAssemblyModule,
} from './program/web-assembly.ts';
