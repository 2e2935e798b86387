import { deviceModule, type AuthorOf, type DeviceModule } from '@nccl-ts/kernel';
import { session } from './barrier-session.ts';
import { sync } from './barrier-sync.ts';

/** The members of `barrier` in a kernel. */
export interface Barrier {
  readonly session: AuthorOf<typeof session>;
  readonly sync: AuthorOf<typeof sync>;
}

/** Barriers over both NVLink and the network: `use: { barrier }`. */
export const barrier: DeviceModule<Barrier> = deviceModule('barrier', { session, sync });
