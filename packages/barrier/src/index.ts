export { barrier } from './barrier.ts';
export type { Barrier } from './barrier-module.ts';
export { sync } from './barrier-sync.ts';
export { session } from './barrier-session.ts';
export type { BarrierOptions, BarrierSession, BarrierTag } from './barrier-session.ts';
