export { cft } from './cft.ts';
export type { CftBarrierOptions, CftBarrierSession } from './cft-barrier-session.ts';
export type { Cft, CftTeamMode } from './cft-module.ts';
export type { CftSession } from './cft-session.ts';
export { logicalEndpoint } from './logical-endpoint.ts';
export type { LogicalEndpoint } from './logical-endpoint.ts';
export type { CftOp } from './reductions.ts';
