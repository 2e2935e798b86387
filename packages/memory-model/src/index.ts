export { includes, scopeOfWidth, scopeWidth, type Place, type ScopeWidth } from './scope.ts';
export { agentOf, Clock, threadOf, whoIs, type Snapshot, type Who } from './watch/clock.ts';
export { Determinacy, type DeterminacyOptions, type Passing } from './watch/determinacy.ts';
export type { Overtaken } from './watch/sums.ts';
export type { SyncWord } from './watch/sync-words.ts';
export type { Want } from './watch/word-log.ts';
export { GroupClocks } from './watch/group-clocks.ts';
export type { Agent, AgentInit } from './watch/agent.ts';
export { HappensBefore, type HappensBeforeOptions } from './watch/happens-before.ts';
export type { Missing, ProxyMix, Race, Seen, SeenAccess, UninitialisedRead } from './watch/race.ts';
export { Shadow } from './watch/shadow.ts';
export type { AccessKind, WatchedSite } from './watch/watched-site.ts';
export {
  after,
  Deferred,
  executionsOf,
  ExecutionSpace,
  exploreExecutions,
  explainPair,
  fence,
  GraphEvent,
  isPossible,
  join,
  known,
  meet,
  modify,
  read,
  ReadToken,
  Run,
  spawn,
  use,
  wait,
  write,
} from './graph/index.ts';
export type {
  Access,
  AgentPlace,
  AgentProgram,
  AgentSteps,
  AttemptRead,
  ByteRange,
  Change,
  Consistent,
  Execution,
  ExplainedRace,
  Explored,
  ExploreOptions,
  GraphMissing,
  InitialValue,
  Later,
  Meeting,
  RacingPair,
  Request,
  RunningAgent,
  SpaceOptions,
} from './graph/index.ts';
