/// <reference types="@webgpu/types" preserve="true" />
import { expectInteger, expectOptions, NcclError, showValue } from '@nccl-ts/core';
import { createTopology } from '@nccl-ts/topology';
import { chooseDevices, type DeviceChoices } from './device-choices.ts';

/** Which GPU runs the ranks, and how. */
export interface WebgpuOptions {
  /** How many ranks there are, from 1 to 4096. */
  readonly ranks: number;
  /**
   * How many consecutive ranks can load and store each other's memory. It divides `ranks`.
   * @default `ranks`
   */
  readonly lsaSize?: number;
  /**
   * A device of the caller, which is used as it is and not destroyed when the world is closed. Its
   * limits are what was asked of `requestDevice`: without `requiredLimits`, storage buffers end at
   * 128 MiB.
   * @default one of its own, with every limit that its adapter has
   */
  readonly device?: GPUDevice;
  /**
   * Several devices: so many of its own, or the caller's, which are used like `device`. Ranks are
   * dealt to them in consecutive equal shares, so their number divides `ranks`. WebGPU shares
   * nothing between devices: the bytes that kernels change go through the host, after each round of
   * turns, and each device holds all memory twice.
   * @default as many as `adapters` has, or 1
   */
  readonly devices?: number | readonly GPUDevice[];
  /**
   * In Node: the GPU whose name contains this text, upper and lower case as they are. Browsers
   * choose by themselves.
   * @default the one that WebGPU gives first
   */
  readonly adapter?: string;
  /**
   * In Node: for each of several devices a text that the name of its GPU contains, as in `adapter`.
   * @default the one that WebGPU gives first, for all
   */
  readonly adapters?: readonly string[];
  /**
   * A wish, which systems may ignore.
   * @default none
   */
  readonly powerPreference?: 'low-power' | 'high-performance';
  /**
   * True if numbers come out as on the other backends, bit by bit, where GPUs are free to differ.
   * @default true
   */
  readonly exact?: boolean;
  /**
   * True if accesses outside of windows, misaligned ones, failed assertions and the like end the
   * launch with an error that says where.
   * @default true
   */
  readonly checks?: boolean;
  /**
   * The most bytes of window memory that all ranks have together.
   * @default what one binding of the device can hold
   */
  readonly memoryBytes?: number;
  /**
   * How many rounds a loop without an evident bound may take in one dispatch. It ends loops that
   * spin on memory without a wait, before the system takes the device away.
   * @default 2 ** 22
   */
  readonly fuel?: number;
}

/** `WebgpuOptions`, checked. What only the device can tell is still open. */
export interface ResolvedWebgpuOptions extends DeviceChoices {
  readonly ranks: number;
  readonly lsaSize: number;
  readonly exact: boolean;
  readonly checks: boolean;
  /** `undefined`: what one binding of the device can hold. */
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
