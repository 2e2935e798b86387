import { expectInteger, showValue } from '@nccl-ts/core';
import type { Extent } from '@nccl-ts/communicator';
import type { Dim3 } from '@nccl-ts/transport';
import { invalid } from './memory/memory-type.ts';

/** A rank, and the number of all ranks. */
export interface RankOf {
  readonly rank: number;
  readonly nRanks: number;
}

/**
 * A value that is the same on all ranks, or a function of the rank. A function may return
 * `undefined` for a rank that does not launch the kernel.
 *
 * @example
 * kernel: ({ rank }) => `all-reduce-${rank}.ptx`
 */
export type ByRank<T> = T | ((rank: RankOf) => T | undefined);

/** A kernel of a harness: its text, its entry, and the shape of its launches. */
export interface HarnessKernel {
  /**
   * The `.cu` or `.ptx` file, relative to the folder of the module. It may differ between ranks, as
   * compilers make it that take the rank as a constant.
   *
   * @default the `kernel` of the harness, or the file that the command line names
   */
  readonly kernel?: ByRank<string>;
  /** PTX text, in place of a file. */
  readonly ptx?: ByRank<string>;
  /**
   * The entry's name, mangled or not. It may be a part of the name that only one entry has, or a
   * regular expression.
   */
  readonly entry: ByRank<string | RegExp>;
  /** The number of CTAs of each rank, up to 65536 in all. */
  readonly grid: Extent;
  /** The number of threads of each CTA. */
  readonly block: Extent;
  /**
   * The number of CTAs of a cluster, as `cudaLaunchAttributeClusterDimension` sets it. The grid
   * must be a multiple of it.
   *
   * @default the size in the kernel's own directives (`__cluster_dims__`), or else one CTA
   */
  readonly cluster?: Extent | readonly [x: number, y?: number, z?: number];
  /**
   * True for programmatic dependent launches: a launch may begin before the previous one on its
   * stream has ended, and sees that one's writes after `griddepcontrol.wait`.
   *
   * @default true if the kernel has `griddepcontrol` and is not cooperative
   */
  readonly programmatic?: boolean;
  /** The size of `extern __shared__` memory in bytes. @default 0 */
  readonly dynamicShared?: number;
  /**
   * Words of the parameters that are the same in every launch, by byte offset. Branches on them are
   * decided when the kernel is translated.
   */
  readonly known?: Readonly<Record<number, number | bigint>>;
}

/** The names of the fields above that describe one kernel, and not the whole harness. */
export const kernelFields = [
  'entry',
  'grid',
  'block',
  'cluster',
  'programmatic',
  'dynamicShared',
  'known',
  'ptx',
] as const;

/** @throws NcclError `NCCL_INVALID_ARGUMENT`, which calls the kernel `what`. */
export function checkKernel(kernel: HarnessKernel, what: string): void {
  const { entry, dynamicShared = 0, programmatic, known = {} } = kernel;
  if (typeof entry !== 'string' && typeof entry !== 'function' && !(entry instanceof RegExp)) {
    throw invalid(`${what}: entry must be the name of an entry or a pattern of it; given ${showValue(entry)}.`);
  }
  for (const name of ['kernel', 'ptx'] as const) {
    const given = kernel[name];
    if (given === undefined || typeof given === 'string' || typeof given === 'function') continue;
    throw invalid(`${what}: ${name} must be a text or a function of the rank; given ${showValue(given)}.`);
  }
  if (kernel.ptx !== undefined && kernel.kernel !== undefined) {
    throw invalid(`${what}: there are both kernel and ptx, and only one can be the text; leave one out.`);
  }
  expectInteger(`${what}: dynamicShared`, dynamicShared, 0);
  if (programmatic !== undefined && typeof programmatic !== 'boolean')
    throw invalid(`${what}: programmatic must be true or false; given ${showValue(programmatic)}.`);
  for (const name of ['grid', 'block'] as const) {
    if (kernel[name] === undefined) throw invalid(`${what}: ${name} is missing: a number, or { x, y, z }.`);
  }
  expectSimulated(kernel.grid, what);
  expectCluster(kernel, what);
  for (const offset of Object.keys(known)) expectInteger(`${what}: an offset of known`, Number(offset), 0);
}

/** A check of more CTAs than these takes minutes, and finds no more. */
const MOST_CTAS = 2 ** 16;

/**
 * The launch checks that the extents are numbers of CTAs.
 *
 * @throws NcclError if there are too many.
 */
export function expectSimulated(grid: Extent, what: string): void {
  const ctas = sizeOf(grid);
  if (ctas > MOST_CTAS) {
    throw invalid(
      `${what}: grid has ${ctas} CTAs, and at most ${MOST_CTAS} are simulated; describe a smaller launch, which finds the same.`,
    );
  }
}

/** The size of the clusters that a kernel's launches set; `undefined` if they set none. */
export function clusterOf({ cluster }: HarnessKernel): Dim3 | undefined {
  if (cluster === undefined) return undefined;
  if (typeof cluster === 'number') return { x: cluster, y: 1, z: 1 };
  const { x, y = 1, z = 1 } = isList(cluster) ? { x: cluster[0], y: cluster[1], z: cluster[2] } : cluster;
  return { x, y, z };
}

function isList(
  cluster: NonNullable<HarnessKernel['cluster']>,
): cluster is readonly [x: number, y?: number, z?: number] {
  return Array.isArray(cluster);
}

function expectCluster(kernel: HarnessKernel, what: string): void {
  const size = clusterOf(kernel);
  if (size === undefined) return;
  for (const axis of ['x', 'y', 'z'] as const) expectInteger(`${what}: cluster.${axis}`, size[axis], 1);
  expectWholeClusters(kernel.grid, size, what);
}

/** @throws NcclError if the grid is not a whole number of clusters. */
export function expectWholeClusters(grid: Extent, size: Dim3, what: string): void {
  const { x, y = 1, z = 1 } = typeof grid === 'number' ? { x: grid } : grid;
  const text = (sizes: readonly number[]): string => sizes.join(' x ');
  if (x % size.x === 0 && y % size.y === 0 && z % size.z === 0) return;
  throw invalid(
    `${what}: a grid of ${text([x, y, z])} CTAs is not a whole number of clusters of ${text([size.x, size.y, size.z])}; make each size of the grid a multiple of that of the cluster.`,
  );
}

/** The number of CTAs or threads. */
export function sizeOf(extent: Extent): number {
  const { x, y = 1, z = 1 } = typeof extent === 'number' ? { x: extent } : extent;
  return x * y * z;
}

/** The value at a rank. */
export function atRank<T extends string | RegExp>(value: ByRank<T> | undefined, rank: RankOf): T | undefined {
  return typeof value === 'function' ? value(rank) : value;
}
