import {
  resolveWebgpuOptions,
  webgpuOptionNames,
  type DeviceChoice,
  type ResolvedWebgpuOptions,
} from '@nccl-ts/backend-webgpu/devices';
import { reading, takeOptions } from '@nccl-ts/core';
import { chooseDevices } from './choose-devices.ts';
import type { DistributedWebgpuOptions } from './distributed-options.ts';

/** `DistributedWebgpuOptions`, checked. Values that depend on the devices are still open. */
export interface ResolvedDistributedOptions extends ResolvedWebgpuOptions {
  /** At least one. The options for a device in `ResolvedWebgpuOptions` are those of the first. */
  readonly devices: readonly [DeviceChoice, ...DeviceChoice[]];
}

/**
 * Fills in the defaults.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT`
 */
export function resolveDistributedOptions(given: DistributedWebgpuOptions): ResolvedDistributedOptions {
  const what = 'distributedWebgpu()';
  const names = { ...webgpuOptionNames, devices: true, adapters: true } as const;
  return reading(what, () => {
    const { devices, adapters, ...options } = takeOptions(what, given, names);
    const resolved = resolveWebgpuOptions(options);
    const chosen = chooseDevices(resolved, devices, adapters, resolved.ranks);
    return Object.freeze({ ...resolved, ...chosen[0], devices: Object.freeze(chosen) });
  });
}
