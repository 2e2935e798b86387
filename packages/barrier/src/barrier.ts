import { deviceModule, type AuthorOf, type DeviceModule } from '@nccl-ts/kernel';
import { session } from './barrier-session.ts';

/** What `barrier` is in a kernel. */
export interface Barrier {
  readonly session: AuthorOf<typeof session>;
}

/** Barriers over NVLink and the network together: `use: { barrier }`. */
export const barrier: DeviceModule<Barrier> = deviceModule('barrier', { session });
