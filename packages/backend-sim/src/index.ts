export { worldFidelity } from './world/world-fidelity.ts';
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
  QuotedLocation,
  UnstartedCtas,
  WaitingThreads,
  WindowWord,
  WordMeaning,
} from '@nccl-ts/findings';
export type { LoggedWrite, SimTurn } from './check/write-log.ts';
export { choicesText, parseChoices } from './schedule/choices.ts';
export { sim, type SimBackend } from './world/sim-backend.ts';
export type { SimGinOptions, SimOptions } from './world/sim-options.ts';
export type { Strategy } from './schedule/strategy.ts';
export type { SimWorkers } from './base/sim-workers.ts';
export type { SimWorld } from './world/sim-world.ts';
