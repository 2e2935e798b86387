export { lsa } from './lsa.ts';
export type { Lsa, LsaBarrierOptions, LsaBarrierSession } from './lsa-module.ts';
export { canGetPeerPointer, localPointer, peerPointer, pointer, teamPointer } from './lsa-pointer.ts';
export { barrierSession } from './lsa-barrier-session.ts';
