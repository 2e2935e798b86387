// The kernel language.
export {
  addr,
  bf16,
  bool,
  deviceFn,
  e4m3,
  e5m2,
  f16,
  f32,
  f64,
  i16,
  i32,
  i64,
  i8,
  kernel,
  ptr,
  u16,
  u32,
  u64,
  u8,
  vec,
} from '@nccl-ts/kernel';
export type { Coop, CoopLike, Kernel, Ptr, TypeFn } from '@nccl-ts/kernel';

// The memory through which kernels communicate.
export {
  devComm,
  devCommParam,
  symPtr,
  team,
  teamLsa,
  teamRail,
  teamRankToLsa,
  teamRankToWorld,
  teamWorld,
  window,
  windowParam,
} from '@nccl-ts/devcomm';
export type { DevCommRequirements, KernelDevComm, KernelWindow } from '@nccl-ts/devcomm';
export { barrier } from '@nccl-ts/barrier';
export { gin } from '@nccl-ts/gin';
export { llA2A } from '@nccl-ts/ll-a2a';
export { lsa } from '@nccl-ts/lsa';
export { multimem } from '@nccl-ts/multimem';
export { reduceCopy } from '@nccl-ts/reduce-copy';

// The host.
export { Communicator, World } from '@nccl-ts/communicator';
export type {
  DevComm,
  DeviceMemory,
  HostDevComm,
  HostWindow,
  LaunchOptions,
  Stream,
  Window,
} from '@nccl-ts/communicator';
export { DataType, isNcclError, NcclError, RedOp } from '@nccl-ts/core';

// Ready-made kernels.
export {
  allGather,
  allReduce,
  allToAll,
  broadcast,
  gather,
  group,
  recv,
  reduce,
  reduceScatter,
  scatter,
  send,
} from '@nccl-ts/collectives';

// The simulator and its check.
export { check } from '@nccl-ts/checker';
export { sim } from '@nccl-ts/backend-sim';
export type { CheckOptions } from '@nccl-ts/checker';
export type { SimOptions } from '@nccl-ts/backend-sim';
export { renderReport } from '@nccl-ts/findings';
export type { CheckReport } from '@nccl-ts/findings';
