export { barrier } from './barrier.ts';
export type { Barrier, BarrierOptions, BarrierSession, BarrierTag } from './barrier-module.ts';
export { sync } from './barrier-sync.ts';
export { session } from './barrier-session.ts';
