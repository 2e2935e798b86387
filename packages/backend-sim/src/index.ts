export { DeadlockError, FaultError } from '@nccl-ts/findings';
export type {
  AwaitedWord,
  DeadlockReport,
  FaultReport,
  FaultyAccess,
  LsaInboxWord,
  MissingRank,
  MissingReason,
  QueuedLaunch,
  SourcePlace,
  UnstartedCtas,
  WaitingThreads,
  WindowWord,
  WordPlace,
} from '@nccl-ts/findings';
export { emitJs, type EmitJsOptions } from './emit-js/index.ts';
export { sim, type SimBackend } from './sim-backend.ts';
export type { SimOptions } from './sim-options.ts';
export type { SimWorld } from './sim-world.ts';
