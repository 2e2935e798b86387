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
export { check, type CheckOptions } from './check/check.ts';
export type { LoggedWrite, SimTurn } from './check/write-log.ts';
export { explore, type Exploration } from './explore.ts';
export type { ExploreListeners } from './exhaustive/explore-executions.ts';
export type { ExploredExecution, ExploredRead, ExploredStore, ExploredWrite } from './exhaustive/explored-execution.ts';
export type { ExploreBound } from './check/explore-bound.ts';
export { compileWork } from './native/compile-work.ts';
export type { CopyPart, NativePart, NativeReduction, NativeWork, ReducePart } from './native/native-work.ts';
export { isNative, planCollective, type NativeCollective } from './native/plan-collective.ts';
export { choicesText, parseChoices } from './schedule/choices.ts';
export { sim, type SimBackend } from './sim-backend.ts';
export type { SimGinOptions, SimOptions } from './sim-options.ts';
export type { Strategy } from './schedule/strategy.ts';
export { MACHINE_PROFILE, traceOfProfile } from './trace/machine-profile.ts';
export { machines } from './trace/machines.ts';
export { predict } from './trace/predict.ts';
export type { BoundName, PredictedBound, Prediction, PredictOptions, PredictProgram } from './trace/predict.ts';
export type { PredictedWait } from './trace/time-use.ts';
export type {
  SimByCtas,
  SimByRanks,
  SimLinkCost,
  SimMemoryCost,
  SimNvlinkCost,
  SimNetworkCost,
  SimTraceOptions,
} from './trace/cost-model.ts';
export type { LinkTraffic } from './trace/traffic.ts';
export { Team, TeamJob } from './team/team.ts';
export type { SimWorkers } from './sim-workers.ts';
export type { SimWorld } from './sim-world.ts';
