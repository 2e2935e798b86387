export { aborted, closed, foreign } from './base/errors.ts';
export { ingredientsOf } from './check/ingredient-text.ts';
export { fenceSide } from './check/fence-text.ts';
export {
  nearMissOf,
  type NearMiss,
  type StoryChange,
  type StorySide,
  type StoryWait,
} from './check/story/near-miss.ts';
export { withNearMiss } from './check/story/near-miss-text.ts';
export { broadcastFinding, goneFinding } from './check/misuse-finding.ts';
export { LaunchScope } from './check/launch-scope.ts';
export { mayLeanOnLines, ofLines, ofMissedCopy, ofMissedStore, onHardware, sameValue } from './check/on-hardware.ts';
export { haveSameWords, isSameStatement } from './check/stored-values.ts';
export { ASYNC, BULK } from './check/episodes.ts';
export { StreamPlaces } from './check/stream-places.ts';
export { FABRIC, hostLabel } from './check/participants.ts';
export { isReported, rankMisuseFinding } from './check/rank-misuse.ts';
export { beforeFirstWrite, proxyFinding, uninitialised } from './check/seen-finding.ts';
export { joinedRuns, noEarlierRun, type EarlierRun } from './check/earlier-run.ts';
export { noLines, type SeenLines } from './check/seen-lines.ts';
export { checkClusterLaunch } from './engine/cluster-launch.ts';
export { cooperativeTooLarge } from './engine/cooperative.ts';
export { defaultDomainMap, domainOf, MEM_SYNC_DOMAINS, type MemSyncDomainMap } from './engine/mem-sync-domains.ts';
export { fabricMisuse } from './fabric/misuse-text.ts';
export type { OperationPiece, PutTarget } from './fabric/operation.ts';
export { piecesOf, rangesOf } from './fabric/pieces.ts';
export { combined, elementBytes, elementsOf, nameOf } from './fabric/reduction.ts';
export { targetsOf } from './fabric/targets.ts';
export type { PointerValue } from './memory/address-space.ts';
export type { EndpointTable } from './memory/endpoint-table.ts';
export { SimWorldMemory } from './memory/world-memory.ts';
export { unlistedPeer } from './network/unlisted-peer.ts';
export { Enumeration } from './schedule/enumeration.ts';
export type { GatheringPoints } from './schedule/gathering.ts';
export { HASTY_WAYS, hastyScheduler, type HastyScheduler } from './schedule/hasty-scheduler.ts';
export { overtakingScheduler } from './schedule/overtaking-scheduler.ts';
export type { Scheduler } from './schedule/scheduler.ts';
export { schedulerOf } from './schedule/strategies.ts';
export { argValue } from './world/launch-args.ts';
export { simWith, type Looks } from './world/sim-backend.ts';
export { endpointsOf, resolveSimOptions, type ResolvedSimOptions } from './world/sim-options.ts';
