import { expectInteger, NcclError, reading, showValue, takeOptions } from '@nccl-ts/core';
import { createTopology } from '@nccl-ts/topology';
import { chooseDevice } from './choose-device.ts';
import type { DeviceChoice } from './gpu/acquire-device.ts';
import type { WebgpuOptions } from './webgpu-options.ts';

/** `WebgpuOptions`, checked. Values that depend on the device are still open. */
export interface ResolvedWebgpuOptions extends DeviceChoice {
  readonly ranks: number;
  readonly lsaSize: number;
  readonly exact: boolean;
  readonly checks: boolean;
  /** `undefined` for the size of one binding of the device. */
  readonly memoryBytes: number | undefined;
  readonly fuel: number;
}

/** Every option of `webgpu()`. */
export const webgpuOptionNames: Readonly<Record<keyof WebgpuOptions, true>> = Object.freeze({
  ranks: true,
  lsaSize: true,
  device: true,
  adapter: true,
  powerPreference: true,
  exact: true,
  checks: true,
  memoryBytes: true,
  fuel: true,
});

/**
 * Fills in the defaults.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT`
 */
export function resolveWebgpuOptions(given: WebgpuOptions): ResolvedWebgpuOptions {
  return reading('webgpu()', () => resolve(takeOptions('webgpu()', given, webgpuOptionNames)));
}

function resolve(options: WebgpuOptions): ResolvedWebgpuOptions {
  const ranks = expectInteger('ranks', options.ranks, 1, 4096);
  const { lsaSize } = createTopology({ ranks, lsaSize: options.lsaSize ?? ranks });
  const { memoryBytes } = options;
  return Object.freeze({
    ranks,
    lsaSize,
    ...chooseDevice(options),
    exact: expectBoolean('exact', options.exact ?? true),
    checks: expectBoolean('checks', options.checks ?? true),
    memoryBytes: memoryBytes === undefined ? undefined : expectInteger('memoryBytes', memoryBytes, 1),
    fuel: expectInteger('fuel', options.fuel ?? 2 ** 22, 1, 2 ** 31 - 1),
  });
}

function expectBoolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw invalid(`${name} must be true or false; given ${showValue(value)}.`);
}

function invalid(message: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message);
}
