import { NcclError, showValue } from '@nccl-ts/core';
import type { DeviceChoice } from './gpu/acquire-device.ts';
import type { WebgpuOptions } from './webgpu-options.ts';

/**
 * Returns the device that the options select.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT`
 */
export function chooseDevice({ device, adapter, powerPreference }: WebgpuOptions): DeviceChoice {
  if (powerPreference !== undefined && powerPreference !== 'low-power' && powerPreference !== 'high-performance') {
    throw invalid(`powerPreference must be 'low-power' or 'high-performance'; given ${showValue(powerPreference)}.`);
  }
  if (device === undefined) return { device, adapter: expectAdapterName(adapter), powerPreference };
  if (!isGpuDevice(device)) throw invalid(`device must be a GPUDevice; given ${showValue(device)}.`);
  for (const [other, value] of Object.entries({ adapter, powerPreference })) {
    if (value !== undefined) throw deviceExcludes('device', other);
  }
  return { device, adapter: undefined, powerPreference: undefined };
}

/**
 * Returns the part of a GPU's name.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT`
 */
export function expectAdapterName(adapter: unknown): string | undefined {
  if (adapter === undefined || (typeof adapter === 'string' && adapter !== '')) return adapter;
  throw invalid(`adapter must be a part of a GPU's name; given ${showValue(adapter)}.`);
}

/** The error for a caller's device beside an option that chooses one. */
export function deviceExcludes(device: string, other: string): NcclError {
  return invalid(`${device} and ${other} exclude each other: your own device already has an adapter.`);
}

/**
 * Checks its capabilities, not its class: each realm, and each copy of the package webgpu, has its
 * own class.
 */
export function isGpuDevice(value: unknown): value is GPUDevice {
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
