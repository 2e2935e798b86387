export type { CftBarrierOptions, CftBarrierSession } from './barrier-session.ts';
export { cft } from './cft.ts';
export type { Cft } from './cft-module.ts';
export { logicalEndpoint } from './endpoints.ts';
export type { LogicalEndpoint } from './endpoints.ts';
export type { CftOp } from './reductions.ts';
export type { CftSession } from './session.ts';
export type { CftTeamMode } from './teams.ts';
