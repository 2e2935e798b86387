import { expectInteger, showValue } from '@nccl-ts/core';
import type { Extent } from '@nccl-ts/communicator';
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
export const kernelFields = ['entry', 'grid', 'block', 'programmatic', 'dynamicShared', 'known', 'ptx'] as const;

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

/** The number of CTAs or threads. */
export function sizeOf(extent: Extent): number {
  const { x, y = 1, z = 1 } = typeof extent === 'number' ? { x: extent } : extent;
  return x * y * z;
}

/** The value at a rank. */
export function atRank<T extends string | RegExp>(value: ByRank<T> | undefined, rank: RankOf): T | undefined {
  return typeof value === 'function' ? value(rank) : value;
}
