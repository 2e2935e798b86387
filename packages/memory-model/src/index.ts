export { includes, scopeOfWidth, scopeWidth, type Place, type ScopeWidth } from './scope.ts';
export { agentOf, Clock, threadOf, whoIs, type Snapshot, type Who } from './watch/clock.ts';
export { GroupClocks } from './watch/group-clocks.ts';
export { HappensBefore, type Agent, type AgentInit, type HappensBeforeOptions } from './watch/happens-before.ts';
export type { Missing, ProxyMix, Race, Seen, SeenAccess, UninitialisedRead } from './watch/race.ts';
export { Shadow } from './watch/shadow.ts';
export type { AccessKind, WatchedSite } from './watch/watched-site.ts';
