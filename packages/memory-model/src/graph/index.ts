export { after, Deferred, known, ReadToken } from './deferred.ts';
export type { Later } from './deferred.ts';
export { eventsBefore, type EventsBefore } from './events-before.ts';
export { explainPair, type ExplainedRace, type GraphMissing } from './explain.ts';
export { executionsOf, exploreExecutions, hasOpenBefore, isPossible } from './executions.ts';
export { OrderBudget } from './consistency.ts';
export type { Execution, Explored, ExploreOptions } from './executions.ts';
export { ExecutionSpace } from './execution-space.ts';
export type { SpaceOptions } from './space-options.ts';
export { GraphEvent, seenWrites } from './graph-event.ts';
export type { Consistent } from './consistency.ts';
export { earlyWaitsOf, type EarlyWait, type RacingPair } from './races.ts';
export { as, fence, fenceProxy, join, meet, modify, open, read, spawn, use, wait, write } from './requests.ts';
export type {
  Access,
  AccessRequest,
  AgentProgram,
  AgentSteps,
  AttemptRead,
  ByteRange,
  UpdateFunction,
  BarrierContribution,
  AgentCoordinates,
  ProxyFence,
  Request,
  SpawnedAfter,
} from './requests.ts';
export { Run } from './run.ts';
export { WarpLines } from './warp-lines.ts';
export type { InitialValue } from './run-observer.ts';
export type { RunningAgent } from './running-agent.ts';
export type { StaleRead } from './stale-reads.ts';
