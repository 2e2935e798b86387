export { barrier } from './barrier.ts';
export type { Barrier } from './barrier.ts';
export { session } from './barrier-session.ts';
export type { BarrierOptions, BarrierSession } from './barrier-session.ts';
