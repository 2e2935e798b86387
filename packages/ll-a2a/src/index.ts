export { llA2A } from './ll-a2a.ts';
export type { LLA2A, LLA2AOptions, LLA2ASession } from './ll-a2a-module.ts';
export { session } from './ll-a2a-session.ts';
