export { includes, scopeOfWidth, scopeWidth, type ThreadCoordinates, type ScopeWidth } from './scope.ts';
export { agentOf, Clock, threadOf, whoIs, type Who } from './watch/clock.ts';
export { joinedSnapshot, type Snapshot } from './watch/snapshot.ts';
export { fabricPair, type FabricPair } from './fabric-pair.ts';
export { fenceFabric, type FabricFence } from './watch/fabric-fence.ts';
export { EpochSweep } from './watch/epoch-sweep.ts';
export { Determinacy, type DeterminacyOptions } from './watch/determinacy.ts';
export type { Passing } from './watch/logged-word.ts';
export type { Overtaken } from './watch/sums.ts';
export type { SyncWord } from './watch/sync-words.ts';
export { LeastReads, type LeastReadsOptions } from './watch/least-reads.ts';
export type { WaitRead, Want } from './watch/want.ts';
export { GroupClocks } from './watch/group-clocks.ts';
export { mayHitCache } from './watch/may-hit-cache.ts';
export { FailingLooks } from './watch/failing-looks.ts';
export { holds } from './watch/want.ts';
export { isPolledFlag, isPolledLine, type PolledAccess } from './watch/hardware-lines.ts';
export type { Agent, AgentInit } from './watch/agent.ts';
export { HappensBefore } from './watch/happens-before.ts';
export { lastWritesAt } from './watch/last-writes-at.ts';
export type { HappensBeforeOptions } from './watch/happens-before-options.ts';
export type {
  Missing,
  ProxyMix,
  Race,
  Seen,
  SeenAccess,
  ReportLevel,
  ReportLevelOf,
  UninitialisedRead,
} from './watch/race.ts';
export type { Epochs } from './watch/epochs.ts';
export { lastWrites } from './watch/last-writes.ts';
export { Shadow } from './watch/shadow.ts';
export { WARP_LINE, type WarpInstruction } from './watch/warp-lines.ts';
export { decides, type AccessKind, type WatchedSite } from './watch/watched-site.ts';
export { unorderedAccesses } from './watch/unordered.ts';
export {
  wordOfKey,
  wordKey,
  type IsBefore,
  type PastAccess,
  type RememberedWords,
  type ValueOfWord,
  type WordHistory,
} from './watch/word-history.ts';
export {
  after,
  as,
  Deferred,
  earlyWaitsOf,
  eventsBefore,
  executionsOf,
  ExecutionSpace,
  exploreExecutions,
  explainPair,
  fence,
  fenceProxy,
  GraphEvent,
  hasOpenBefore,
  isPossible,
  join,
  known,
  meet,
  modify,
  open,
  OrderBudget,
  read,
  ReadToken,
  Run,
  seenWrites,
  spawn,
  use,
  wait,
  WarpLines,
  write,
} from './graph/index.ts';
export type {
  Access,
  AccessRequest,
  AgentCoordinates,
  AgentProgram,
  AgentSteps,
  AttemptRead,
  ByteRange,
  UpdateFunction,
  Consistent,
  EarlyWait,
  EventsBefore,
  Execution,
  ExplainedRace,
  Explored,
  ExploreOptions,
  GraphMissing,
  InitialValue,
  Later,
  BarrierContribution,
  ProxyFence,
  RacingPair,
  Request,
  RunningAgent,
  SpawnedAfter,
  SpaceOptions,
  StaleRead,
} from './graph/index.ts';
