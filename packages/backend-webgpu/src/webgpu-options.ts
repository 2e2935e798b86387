/// <reference types="@webgpu/types" preserve="true" />
import { expectInteger, NcclError, showValue } from '@nccl-ts/core';
import { createTopology } from '@nccl-ts/topology';

/** Which GPU runs the ranks, and how. */
export interface WebgpuOptions {
  /** How many ranks there are, from 1 to 4096. All of them run on one device. */
  readonly ranks: number;
  /**
   * How many consecutive ranks can load and store each other's memory. It divides `ranks`.
   * @default `ranks`
   */
  readonly lsaSize?: number;
  /**
   * A device of the caller, which is used as it is and not destroyed when the world is closed. Its limits are what was
   * asked of `requestDevice`: without `requiredLimits`, storage buffers end at 128 MiB.
   * @default one of its own, with every limit that its adapter has
   */
  readonly device?: GPUDevice;
  /**
   * In Node: the GPU whose name contains this text, upper and lower case as they are. Browsers choose by themselves.
   * @default the one that WebGPU gives first
   */
  readonly adapter?: string;
  /**
   * A wish, which systems may ignore.
   * @default none
   */
  readonly powerPreference?: 'low-power' | 'high-performance';
  /**
   * Whether numbers come out as on the other backends, bit by bit, where GPUs are free to differ.
   * @default true
   */
  readonly exact?: boolean;
  /**
   * Whether accesses outside of windows, misaligned ones, failed assertions and the like end the launch with an error
   * that says where.
   * @default true
   */
  readonly checks?: boolean;
  /**
   * The most bytes of window memory that all ranks have together.
   * @default what one binding of the device can hold
   */
  readonly memoryBytes?: number;
  /**
   * How many rounds a loop without an evident bound may take in one dispatch. It ends loops that spin on memory without
   * a wait, before the system takes the device away.
   * @default 2 ** 22
   */
  readonly fuel?: number;
}

/** `WebgpuOptions`, checked. What only the device can tell is still open. */
export interface ResolvedWebgpuOptions {
  readonly ranks: number;
  readonly lsaSize: number;
  readonly device: GPUDevice | undefined;
  readonly adapter: string | undefined;
  readonly powerPreference: 'low-power' | 'high-performance' | undefined;
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
  adapter: true,
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
  const unknown = Object.keys(options).filter((key) => !Object.hasOwn(known, key));
  if (unknown.length > 0) {
    throw invalid(`webgpu() has no option ${unknown.join(', ')}; its options are ${Object.keys(known).join(', ')}.`);
  }
  const ranks = expectInteger('ranks', options.ranks, 1, 4096);
  const { lsaSize } = createTopology({ ranks, lsaSize: options.lsaSize ?? ranks });
  const { memoryBytes } = options;
  return Object.freeze({
    ranks,
    lsaSize,
    ...deviceChoice(options),
    exact: expectBoolean('exact', options.exact ?? true),
    checks: expectBoolean('checks', options.checks ?? true),
    memoryBytes: memoryBytes === undefined ? undefined : expectInteger('memoryBytes', memoryBytes, 1),
    fuel: expectInteger('fuel', options.fuel ?? 2 ** 22, 1, 2 ** 31 - 1),
  });
}

function deviceChoice(options: WebgpuOptions): Pick<ResolvedWebgpuOptions, 'device' | 'adapter' | 'powerPreference'> {
  const { device, adapter, powerPreference } = options;
  if (device !== undefined) {
    if (!isDevice(device)) throw invalid(`device must be a GPUDevice; given ${showValue(device)}.`);
    const other = adapter !== undefined ? 'adapter' : powerPreference !== undefined ? 'powerPreference' : undefined;
    if (other !== undefined) {
      throw invalid(`device and ${other} exclude each other: a device that is given has its adapter already.`);
    }
  }
  if (adapter !== undefined && (typeof adapter !== 'string' || adapter === '')) {
    throw invalid(`adapter must be a part of a GPU's name; given ${showValue(adapter)}.`);
  }
  if (powerPreference !== undefined && powerPreference !== 'low-power' && powerPreference !== 'high-performance') {
    throw invalid(`powerPreference must be 'low-power' or 'high-performance'; given ${showValue(powerPreference)}.`);
  }
  return { device, adapter, powerPreference };
}

/** Looks at what it can do, not at its class: each realm, and each copy of the package webgpu, has a class of its own. */
function isDevice(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    typeof Reflect.get(value, 'createBuffer') === 'function' &&
    typeof Reflect.get(value, 'createComputePipelineAsync') === 'function' &&
    typeof Reflect.get(value, 'queue') === 'object' &&
    typeof Reflect.get(value, 'lost') === 'object'
  );
}

function expectBoolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw invalid(`${name} must be true or false; given ${showValue(value)}.`);
}

function invalid(message: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message);
}
