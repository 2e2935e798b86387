export { emitJs, type EmitJsOptions } from './emit-js/index.ts';
export type {
  AwaitedWord,
  DeadlockReport,
  MissingRank,
  MissingReason,
  QueuedLaunch,
  UnstartedCtas,
  WaitingThreads,
} from './report/deadlock-report.ts';
export { DeadlockError } from './report/deadlock-error.ts';
export { FaultError } from './report/fault-error.ts';
export type { FaultReport, FaultyAccess } from './report/fault-report.ts';
export type { SourcePlace } from './report/kernel-text.ts';
export type { LsaInboxWord, WindowWord, WordPlace } from './report/word-place.ts';
export { sim, type SimBackend } from './sim-backend.ts';
export type { SimOptions } from './sim-options.ts';
export type { SimWorld } from './sim-world.ts';
