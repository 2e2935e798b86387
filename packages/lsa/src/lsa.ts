import { deviceModule, type DeviceModule } from '@nccl-ts/kernel';
import { barrierSession } from './lsa-barrier-session.ts';
import { canGetPeerPointer, localPointer, peerPointer, pointer, teamPointer } from './lsa-pointer.ts';
import type { Lsa } from './lsa-module.ts';

/** Load/store access to the memory of the ranks in one NVLink domain: `use: { lsa }`. */
export const lsa: DeviceModule<Lsa> = deviceModule('lsa', {
  pointer,
  peerPointer,
  canGetPeerPointer,
  teamPointer,
  localPointer,
  barrierSession,
});
