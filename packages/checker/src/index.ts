export { check, type CheckOptions } from './check/check.ts';
export type { HostLaunch, HostProgram } from './check/host-program.ts';
export type { ExploreBound } from './exhaustive/explore-bound.ts';
export type { ExploreListeners } from './exhaustive/explore-executions.ts';
export type { ExploredExecution, ExploredRead, ExploredStore, ExploredWrite } from './exhaustive/explored-execution.ts';
export { explore, type Exploration, type ExploreOptions } from './explore.ts';
