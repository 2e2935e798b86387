import { expectInteger, NcclError, showValue } from '@nccl-ts/core';
import type { DeviceChoice } from './gpu/acquire-device.ts';
import type { WebgpuOptions } from './webgpu-options.ts';

/** The options for the first device and for further ones. */
export interface DeviceChoices extends DeviceChoice {
  readonly others: readonly DeviceChoice[];
}

/**
 * Returns the devices that the options select, for the given number of ranks.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT`
 */
export function chooseDevices(options: WebgpuOptions, ranks: number): DeviceChoices {
  const { powerPreference } = options;
  if (options.device !== undefined && options.devices !== undefined) {
    throw invalid('device and devices exclude each other: if you pass your own device, it is the only one.');
  }
  if (options.adapter !== undefined && options.adapters !== undefined) {
    throw invalid(
      'adapter and adapters exclude each other: adapter applies to all devices, and adapters has one for each.',
    );
  }
  if (powerPreference !== undefined && powerPreference !== 'low-power' && powerPreference !== 'high-performance') {
    throw invalid(`powerPreference must be 'low-power' or 'high-performance'; given ${showValue(powerPreference)}.`);
  }
  const [first, ...others] = callersDevices(options) ?? ownDevices(options);
  if (first === undefined) throw invalid('devices must name at least one; given none.');
  const count = others.length + 1;
  if (ranks % count !== 0) {
    throw invalid(
      `${ranks} ranks cannot be dealt to ${count} devices in equal shares; their number must divide ranks.`,
    );
  }
  return { ...first, others: Object.freeze(others) };
}

function callersDevices(options: WebgpuOptions): readonly DeviceChoice[] | undefined {
  const { device, devices, adapter, adapters, powerPreference } = options;
  const name = device === undefined ? 'devices' : 'device';
  const given = device === undefined ? devices : [device];
  if (given === undefined || typeof given === 'number') return undefined;
  if (!isArray(given)) throw invalid(`devices must be a number or an array of GPUDevices; given ${showValue(given)}.`);
  for (const one of given) {
    if (!isDevice(one))
      throw invalid(`${name} must be ${device === undefined ? 'GPUDevices' : 'a GPUDevice'}; given ${showValue(one)}.`);
  }
  if (new Set(given).size < given.length) throw invalid('devices must differ; given one of them twice.');
  for (const [other, value] of Object.entries({ adapter, adapters, powerPreference })) {
    if (value === undefined) continue;
    throw invalid(`${name} and ${other} exclude each other: your own device already has an adapter.`);
  }
  return given.map((one) => ({ device: one, adapter: undefined, powerPreference: undefined }));
}

function ownDevices({ devices, adapter, adapters, powerPreference }: WebgpuOptions): readonly DeviceChoice[] {
  const asked = devices === undefined ? undefined : expectInteger('devices', devices, 1, 4096);
  if (adapters !== undefined && (!isArray(adapters) || adapters.length === 0)) {
    throw invalid(`adapters must be an array of parts of GPUs' names; given ${showValue(adapters)}.`);
  }
  const count = asked ?? adapters?.length ?? 1;
  if (adapters !== undefined && adapters.length !== count) {
    throw invalid(`adapters must have a name for each of ${count} devices; given ${adapters.length}.`);
  }
  const names = adapters ?? Array.from({ length: count }, () => adapter);
  for (const name of names) {
    if (name !== undefined && (typeof name !== 'string' || name === '')) {
      throw invalid(`adapter must be a part of a GPU's name; given ${showValue(name)}.`);
    }
  }
  return names.map((name) => ({ device: undefined, adapter: name, powerPreference }));
}

/** `Array.isArray` would lose the element type of a known array. */
function isArray(value: unknown): boolean {
  return Array.isArray(value);
}

/**
 * Checks its capabilities, not its class: each realm, and each copy of the package webgpu, has its
 * own class.
 */
function isDevice(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    typeof Reflect.get(value, 'createBuffer') === 'function' &&
    typeof Reflect.get(value, 'createComputePipelineAsync') === 'function' &&
    typeof Reflect.get(value, 'queue') === 'object' &&
    typeof Reflect.get(value, 'lost') === 'object'
  );
}

function invalid(message: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message);
}
