import { expectInteger, takeOptions, type ScalarKind } from '@nccl-ts/core';
import type { Capabilities } from '@nccl-ts/ir';
import type { CollectiveWork, Dim3, LaunchAttributes, MemSyncDomainMap, WindowLocation } from '@nccl-ts/transport';
import type { SymPtr } from '@nccl-ts/window';
import { shown } from '../describe.ts';
import { invalidArgument } from '../errors.ts';
import type { RankState } from '../rank/rank-state.ts';
import type { Stream } from '../stream/stream.ts';
import { isRegisteredWindow, type HostWindow } from '../window/window.ts';

/** A number of CTAs or threads in up to three dimensions. A dimension that is left out is 1. */
export type Extent = number | { readonly x: number; readonly y?: number; readonly z?: number };

export interface LaunchOptions {
  /** The number of CTAs. */
  readonly grid: Extent;
  /** The number of threads in a CTA. */
  readonly block: Extent;
  /** @default the rank's default stream */
  readonly stream?: Stream;
  /**
   * Cancels the launch: parts that have not run yet never run, and the stream's next
   * synchronization rejects.
   */
  readonly signal?: AbortSignal;
  /**
   * True if the kernel's waits end when the launch is cancelled or the world aborted. Otherwise a
   * backend that cannot stop kernels from outside can only report that they still run. It costs
   * little on GPUs.
   * @default the backend's own option
   */
  readonly abortable?: boolean;
  /** Attributes for GPUs. Other backends ignore them. */
  readonly attributes?: LaunchAttributes;
  /**
   * The purpose of the launch, in a few words. Deadlock reports show it beside the kernel's name.
   */
  readonly label?: string;
  /**
   * The combined effect of the kernel and the same launch on the other ranks, as a list of steps. A
   * backend may do this work without running the kernel, if the memory of all ranks is the same
   * afterwards.
   */
  readonly work?: readonly LaunchWork[];
}

export const launchOptionNames: Readonly<Record<keyof LaunchOptions, true>> = {
  grid: true,
  block: true,
  stream: true,
  signal: true,
  abortable: true,
  attributes: true,
  label: true,
  work: true,
};

/**
 * A collective between symmetric pointers that are also arguments of the kernel.
 *
 * @see CollectiveWork
 */
export interface LaunchWork extends Omit<CollectiveWork, 'send' | 'recv'> {
  readonly send: SymPtr<ScalarKind, HostWindow>;
  readonly recv: SymPtr<ScalarKind, HostWindow>;
}

/** CUDA's limits, which all backends apply. @see cudaDeviceProp::maxGridSize */
const largestGrid: Dim3 = { x: 2 ** 31 - 1, y: 65535, z: 65535 };

const axes = ['x', 'y', 'z'] as const;

/** @throws NcclError `NCCL_INVALID_ARGUMENT` */
export function gridOf(extent: unknown, what: string): Dim3 {
  const grid = dim3(extent, `${what}: grid`);
  for (const axis of axes) {
    if (grid[axis] > largestGrid[axis]) {
      throw invalidArgument(`${what}: grid.${axis} must be ${largestGrid[axis]} CTAs at most; given ${grid[axis]}.`);
    }
  }
  return grid;
}

/** @throws NcclError `NCCL_INVALID_ARGUMENT` */
export function blockOf(extent: unknown, capabilities: Capabilities, what: string): Dim3 {
  const block = dim3(extent, `${what}: block`);
  const threads = block.x * block.y * block.z;
  if (threads > capabilities.maxBlockThreads) {
    throw invalidArgument(
      `${what}: block must have ${capabilities.maxBlockThreads} threads at most on backend ${capabilities.backend}; ` +
        `given ${block.x} x ${block.y} x ${block.z} = ${threads}.`,
    );
  }
  return block;
}

function dim3(extent: unknown, what: string): Dim3 {
  if (typeof extent === 'number') return { x: dimension(extent, what), y: 1, z: 1 };
  if (typeof extent !== 'object' || extent === null || !('x' in extent)) {
    throw invalidArgument(`${what} must be an integer of 1 or more or { x, y?, z? } of such; given ${shown(extent)}.`);
  }
  const unknown = Object.keys(extent).filter((key) => !axes.some((axis) => axis === key));
  if (unknown.length > 0) throw invalidArgument(`${what} has x, y and z; given ${unknown.join(', ')} as well.`);
  return {
    x: dimension(extent.x, `${what}.x`),
    y: dimension('y' in extent ? (extent.y ?? 1) : 1, `${what}.y`),
    z: dimension('z' in extent ? (extent.z ?? 1) : 1, `${what}.z`),
  };
}

function dimension(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw invalidArgument(`${what} must be an integer of 1 or more; given ${shown(value)}.`);
}

/** @throws NcclError `NCCL_INVALID_ARGUMENT` */
export function attributesOf(attributes: LaunchAttributes | undefined, what: string): LaunchAttributes | undefined {
  if (attributes === undefined) return undefined;
  if (typeof attributes !== 'object' || attributes === null) {
    throw invalidArgument(`${what}: attributes must be an object; given ${shown(attributes)}.`);
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    const allowed = Object.hasOwn(attributeValues, name) ? attributeValues[name] : undefined;
    if (allowed === undefined) {
      const names = Object.keys(attributeValues).join(', ');
      throw invalidArgument(`${what}: there is no launch attribute ${name}; there are ${names}.`);
    }
    if (!allowed.includes(value)) {
      throw invalidArgument(`${what}: attribute ${name} must be ${allowed.join(' or ')}; given ${shown(value)}.`);
    }
  }
  return attributes;
}

const attributeValues: Readonly<Record<string, readonly unknown[]>> = {
  memSyncDomain: ['default', 'remote'],
  cooperative: [true, false],
  programmaticStreamSerialization: [true, false],
} satisfies Readonly<Record<keyof LaunchAttributes, readonly unknown[]>>;

/** @throws NcclError `NCCL_INVALID_ARGUMENT` if a domain is not below `count`. */
export function domainMapOf(map: MemSyncDomainMap, count: number, what: string): MemSyncDomainMap {
  const taken = takeOptions(`${what}: memSyncDomainMap`, map, { default: true, remote: true });
  return {
    default: expectInteger(`${what}: memSyncDomainMap.default`, taken.default, 0, count - 1),
    remote: expectInteger(`${what}: memSyncDomainMap.remote`, taken.remote, 0, count - 1),
  };
}

/** @throws NcclError `NCCL_INVALID_ARGUMENT` if a window is closed or belongs to another rank. */
export function worksOf(works: readonly LaunchWork[], owner: RankState, what: string): readonly CollectiveWork[] {
  const given: unknown = works;
  if (!Array.isArray(given)) {
    throw invalidArgument(`${what}: work must be an array of collectives; given ${shown(given)}.`);
  }
  return works.map((work) => workOf(work, owner, what));
}

function workOf(work: LaunchWork, owner: RankState, what: string): CollectiveWork {
  const place = (name: 'send' | 'recv'): WindowLocation => {
    const given: unknown = work?.[name];
    if (typeof given !== 'object' || given === null) {
      throw invalidArgument(`${what}: work.${name} must be a symmetric pointer; given ${shown(given)}.`);
    }
    const { window, offset } = work[name];
    if (!isRegisteredWindow(window) || window.owner !== owner || !window.isOpen) {
      throw invalidArgument(`${what}: work.${name} must lie in an open window of this rank; given ${shown(window)}.`);
    }
    return { window: window.handle, offset };
  };
  return { ...work, send: place('send'), recv: place('recv') };
}
