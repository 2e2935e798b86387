import { deviceModule, type AuthorOf, type DeviceModule } from '@nccl-ts/kernel';
import { session } from './ll-a2a-session.ts';

/** The members of `llA2A` in a kernel. */
export interface LLA2A {
  readonly session: AuthorOf<typeof session>;
}

/**
 * All-to-all exchange of small values inside one NVLink domain, with low latency: `use: { llA2A
 * }`.
 */
export const llA2A: DeviceModule<LLA2A> = deviceModule('llA2A', { session });
