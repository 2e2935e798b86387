import { deviceModule, type DeviceModule } from '@nccl-ts/kernel';
import { session } from './barrier-session.ts';
import { sync } from './barrier-sync.ts';
import type { Barrier } from './barrier-module.ts';

/** Barriers over both NVLink and the network: `use: { barrier }`. */
export const barrier: DeviceModule<Barrier> = deviceModule('barrier', { session, sync });
