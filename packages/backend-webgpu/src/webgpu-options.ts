/// <reference types="@webgpu/types" preserve="true" />
import { expectInteger, expectOptions, NcclError, showValue } from '@nccl-ts/core';
import { createTopology } from '@nccl-ts/topology';
import { chooseDevices, type DeviceChoices } from './device-choices.ts';

/** The GPU of the ranks, and its options. */
export interface WebgpuOptions {
  /** The number of ranks, from 1 to 4096. */
  readonly ranks: number;
  /**
   * The number of consecutive ranks that can load and store each other's memory. It divides
   * `ranks`.
   * @default `ranks`
   */
  readonly lsaSize?: number;
  /**
   * A device of the caller, which is used unchanged and not destroyed when the world is closed. Its
   * limits are those requested in `requestDevice`: without `requiredLimits`, storage buffers end at
   * 128 MiB.
   * @default a new one, with every limit of its adapter
   */
  readonly device?: GPUDevice;
  /**
   * Several devices: a number of new ones, or the caller's, which are used like `device`. They get
   * consecutive equal shares of the ranks, so their number must divide `ranks`. WebGPU shares
   * nothing between devices: changed bytes go through the host, after each round, and each device
   * holds all memory twice.
   * @default the number of `adapters`, or 1
   */
  readonly devices?: number | readonly GPUDevice[];
  /**
   * In Node: the GPU whose name contains this text, case-sensitive. Browsers choose the GPU
   * themselves.
   * @default WebGPU's first one
   */
  readonly adapter?: string;
  /**
   * In Node: for each of several devices a part of its GPU's name, as in `adapter`.
   * @default WebGPU's first one, for all
   */
  readonly adapters?: readonly string[];
  /**
   * A wish, which systems may ignore.
   * @default none
   */
  readonly powerPreference?: 'low-power' | 'high-performance';
  /**
   * True if numbers equal those of the other backends, bit by bit, where GPUs may differ.
   * @default true
   */
  readonly exact?: boolean;
  /**
   * True if accesses outside of windows, misaligned ones, failed assertions and the like end the
   * launch with an error that has their location.
   * @default true
   */
  readonly checks?: boolean;
  /**
   * The largest number of bytes of window memory of all ranks together.
   * @default the size of one binding of the device
   */
  readonly memoryBytes?: number;
  /**
   * The largest number of rounds of a loop without an evident bound in one dispatch. It ends loops
   * that spin on memory without a wait, before the system resets the device.
   * @default 2 ** 22
   */
  readonly fuel?: number;
}

/** `WebgpuOptions`, checked. Limits that only the device knows are still open. */
export interface ResolvedWebgpuOptions extends DeviceChoices {
  readonly ranks: number;
  readonly lsaSize: number;
  readonly exact: boolean;
  readonly checks: boolean;
  /** `undefined`: the size of one binding of the device. */
  readonly memoryBytes: number | undefined;
  readonly fuel: number;
}

const known: Readonly<Record<keyof WebgpuOptions, true>> = {
  ranks: true,
  lsaSize: true,
  device: true,
  devices: true,
  adapter: true,
  adapters: true,
  powerPreference: true,
  exact: true,
  checks: true,
  memoryBytes: true,
  fuel: true,
};

/**
 * Fills the defaults in.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT`
 */
export function resolveWebgpuOptions(options: WebgpuOptions): ResolvedWebgpuOptions {
  expectOptions('webgpu()', options, known);
  const ranks = expectInteger('ranks', options.ranks, 1, 4096);
  const { lsaSize } = createTopology({ ranks, lsaSize: options.lsaSize ?? ranks });
  const { memoryBytes } = options;
  return Object.freeze({
    ranks,
    lsaSize,
    ...chooseDevices(options, ranks),
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
