import { deviceModule, type AuthorOf, type DeviceModule } from '@nccl-ts/kernel';
import { barrierSession } from './lsa-barrier-session.ts';
import { canGetPeerPointer, localPointer, peerPointer, pointer, teamPointer } from './lsa-pointer.ts';

/** The members of `lsa` in a kernel. */
export interface Lsa {
  readonly pointer: AuthorOf<typeof pointer>;
  readonly peerPointer: AuthorOf<typeof peerPointer>;
  readonly canGetPeerPointer: AuthorOf<typeof canGetPeerPointer>;
  readonly teamPointer: AuthorOf<typeof teamPointer>;
  readonly localPointer: AuthorOf<typeof localPointer>;
  readonly barrierSession: AuthorOf<typeof barrierSession>;
}

/** Load/store access to the memory of the ranks in one NVLink domain: `use: { lsa }`. */
export const lsa: DeviceModule<Lsa> = deviceModule('lsa', {
  pointer,
  peerPointer,
  canGetPeerPointer,
  teamPointer,
  localPointer,
  barrierSession,
});
