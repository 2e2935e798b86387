import { deviceModule, type DeviceModule } from '@nccl-ts/kernel';
import { session } from './ll-a2a-session.ts';
import type { LLA2A } from './ll-a2a-module.ts';

/**
 * All-to-all exchange of small values inside one NVLink domain, with low latency: `use: { llA2A
 * }`.
 */
export const llA2A: DeviceModule<LLA2A> = deviceModule('llA2A', { session });
