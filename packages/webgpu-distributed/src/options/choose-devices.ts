import { deviceExcludes, expectAdapterName, isGpuDevice, type DeviceChoice } from '@nccl-ts/backend-webgpu/devices';
import { expectInteger, NcclError, showValue } from '@nccl-ts/core';
import type { DistributedWebgpuOptions } from './distributed-options.ts';

/**
 * Returns the devices that `devices` and `adapters` select, for the given number of ranks.
 *
 * @param one the device that the other options select; it is valid
 * @throws NcclError `NCCL_INVALID_ARGUMENT`
 */
export function chooseDevices(
  one: DeviceChoice,
  devices: DistributedWebgpuOptions['devices'],
  adapters: DistributedWebgpuOptions['adapters'],
  ranks: number,
): readonly [DeviceChoice, ...DeviceChoice[]] {
  if (one.device !== undefined && devices !== undefined) {
    throw invalid('device and devices exclude each other: if you pass your own device, it is the only one.');
  }
  if (one.device !== undefined && adapters !== undefined) throw deviceExcludes('device', 'adapters');
  if (one.adapter !== undefined && adapters !== undefined) {
    throw invalid(
      'adapter and adapters exclude each other: adapter applies to all devices, and adapters has one for each.',
    );
  }
  const [first, ...others] =
    devices === undefined || typeof devices === 'number'
      ? newDevices(one, devices, adapters)
      : callersDevices(one, devices, adapters);
  if (first === undefined) throw invalid('devices must name at least one; given none.');
  const count = others.length + 1;
  if (ranks % count !== 0) {
    throw invalid(
      `${ranks} ranks cannot be dealt to ${count} devices in equal shares; their number must divide ranks.`,
    );
  }
  return [first, ...others];
}

function callersDevices(
  { adapter, powerPreference }: DeviceChoice,
  devices: readonly GPUDevice[],
  adapters: readonly string[] | undefined,
): readonly DeviceChoice[] {
  if (!isArray(devices)) {
    throw invalid(`devices must be a number or an array of GPUDevices; given ${showValue(devices)}.`);
  }
  for (const device of devices) {
    if (!isGpuDevice(device)) throw invalid(`devices must be GPUDevices; given ${showValue(device)}.`);
  }
  if (new Set(devices).size < devices.length) throw invalid('devices must differ; given one of them twice.');
  for (const [other, value] of Object.entries({ adapter, adapters, powerPreference })) {
    if (value !== undefined) throw deviceExcludes('devices', other);
  }
  return devices.map((device) => ({ device, adapter: undefined, powerPreference: undefined }));
}

function newDevices(
  { device, adapter, powerPreference }: DeviceChoice,
  devices: number | undefined,
  adapters: readonly string[] | undefined,
): readonly DeviceChoice[] {
  const requested = devices === undefined ? undefined : expectInteger('devices', devices, 1, 4096);
  if (adapters !== undefined && (!isArray(adapters) || adapters.length === 0)) {
    throw invalid(`adapters must be an array of parts of GPUs' names; given ${showValue(adapters)}.`);
  }
  const count = requested ?? adapters?.length ?? 1;
  if (adapters === undefined) return Array.from({ length: count }, () => ({ device, adapter, powerPreference }));
  if (adapters.length !== count) {
    throw invalid(`adapters must have a name for each of ${count} devices; given ${adapters.length}.`);
  }
  return adapters.map((name) => ({ device, adapter: expectAdapterName(name), powerPreference }));
}

/** `Array.isArray` would lose the element type of a known array. */
function isArray(value: unknown): boolean {
  return Array.isArray(value);
}

function invalid(message: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message);
}
