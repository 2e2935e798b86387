import { expectInteger, showValue } from '@nccl-ts/core';
import type { DevCommRequirements } from '@nccl-ts/devcomm';
import { checkKernel, kernelFields, type ByRank, type HarnessKernel } from './harness-kernel.ts';
import { invalid } from './memory/memory-type.ts';
import type { RankLaunches, RankSetup, RankSteps } from './rank-setup.ts';
import type { Surroundings } from './surroundings.ts';

/** The fields of every harness. */
export interface HarnessOptions {
  /**
   * The number of ranks, if the kernels fix it. By default a check runs each number of
   * `ranksToCheck`, and other commands run the first of them.
   */
  readonly ranks?: number;
  /**
   * True if each rank is meant to work alone. Otherwise a check with several ranks is `incomplete`
   * if none of them touches the memory of another and no wait is reached.
   *
   * @default false
   */
  readonly local?: boolean;
  /**
   * The number of launches of each rank, up to 4096: with several kernels, the number of times that
   * the whole list runs. The host does not wait between them.
   *
   * @default 2, so that the state after one launch affects the next
   */
  readonly launches?: number;
  /**
   * The work around each launch. `relax` sets it, to see if a kernel is right in a larger program.
   *
   * @default none
   */
  readonly around?: Surroundings;
  /**
   * The number of streams of each rank. The launches use them in turn, and launches on different
   * streams run concurrently. There are at most 1024.
   *
   * @default 1
   */
  readonly streams?: number;
  /**
   * True if the `.cu` files are compiled against the stand-in headers of NCCL and NVSHMEM, as
   * `--stand-in` does.
   *
   * @default false
   */
  readonly standIn?: boolean;
  /**
   * The requirements on the device communicator of kernels that are compiled against the stand-in
   * headers. They are `ncclDevCommRequirements` in the form of `createDevComm`. By default they are
   * NCCL's defaults, or those of the NVSHMEM functions.
   */
  readonly devComm?: DevCommRequirements;
}

/** The launches of one kernel, read from PTX, on simulated ranks. */
export interface HarnessDefinition extends HarnessOptions, HarnessKernel {
  readonly kernels?: undefined;
  /**
   * Describes one rank's memory and launches. It is called once for each rank, before any memory
   * exists. It must make the same allocations in the same order on all ranks.
   */
  readonly setup: (rank: RankSetup) => RankLaunches;
}

/** The launches of several kernels on simulated ranks. `Name` are the names of the kernels. */
export interface StepsDefinition<Name extends string = string> extends HarnessOptions {
  /** The file of the kernels that name none of their own: see `kernel` of a kernel. */
  readonly kernel?: ByRank<string>;
  /** The kernels, by names of your own, which `launch` and findings use. */
  readonly kernels: Readonly<Record<Name, HarnessKernel>>;
  /**
   * Describes one rank's memory and its list of launches. It is called once for each rank, before
   * any memory exists. It must make the same allocations in the same order on all ranks. The lists
   * may differ.
   */
  readonly setup: (rank: RankSetup<Name>) => RankSteps;
}

/** A description of one kernel that `harness` has validated. */
export interface KernelHarness extends HarnessDefinition {
  readonly kind: 'harness';
  readonly local: boolean;
  readonly launches: number;
  readonly streams: number;
}

/** A description of several kernels that `harness` has validated. */
export interface StepsHarness extends StepsDefinition {
  readonly kind: 'harness';
  readonly local: boolean;
  readonly launches: number;
  readonly streams: number;
}

/**
 * A description that `harness` has validated, with the defaults of `local`, `launches` and
 * `streams` filled in. It is a definition too: `harness({ ...other, launches: 3 })`.
 */
export type Harness = KernelHarness | StepsHarness;

/**
 * Describes how one kernel is launched. A module exports the result as its default.
 *
 * @example
 * export default harness({
 *   kernel: 'all-reduce.cu',
 *   entry: 'allReduce',
 *   grid: 1,
 *   block: 32,
 *   setup({ rank, ranks, alloc, peer }) {
 *     const data = alloc('data', f32, 32, (i) => rank + i);
 *     const out = alloc('out', f32, 32);
 *     return {
 *       args: [alloc('peers', ptr, ranks.map((r) => peer(data, r))), out, 32],
 *       expect: () => out.equals((i) => ranks.reduce((sum, r) => sum + r + i, 0)),
 *     };
 *   },
 * });
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible numbers.
 */
export function harness(definition: HarnessDefinition): KernelHarness;
/**
 * Describes how several kernels are launched. Each rank has a list of steps, in the order in which
 * its host issues them. Steps on one stream run in order.
 *
 * @example
 * export default harness({
 *   kernel: 'all-reduce.cu',
 *   kernels: {
 *     barrier: { entry: 'barrierAll', grid: 1, block: 32 },
 *     main: { entry: 'allReduce', grid: 4, block: 64 },
 *   },
 *   setup({ rank, ranks, alloc, peer, launch }) {
 *     const data = alloc('data', f32, 64, (i) => rank + i);
 *     const flags = alloc('flags', u32, ranks.length);
 *     const out = alloc('out', f32, 64);
 *     const datas = alloc('datas', ptr, ranks.map((r) => peer(data, r)));
 *     const all = alloc('all flags', ptr, ranks.map((r) => peer(flags, r)));
 *     return {
 *       steps: [
 *         launch('barrier', [all, rank]),
 *         launch('main', [datas, out]),
 *         launch('barrier', [all, rank]),
 *       ],
 *       expect: () => out.equals((i) => ranks.reduce((sum, r) => sum + r + i, 0)),
 *     };
 *   },
 * });
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible numbers.
 */
export function harness<Name extends string>(definition: StepsDefinition<Name>): StepsHarness;
/** Validates either description. */
export function harness(definition: HarnessDefinition | StepsDefinition): Harness;
export function harness(definition: HarnessDefinition | StepsDefinition): Harness {
  const { setup, ranks, local = false, launches = 2, streams = 1 } = definition;
  const { kernels, standIn } = definition;
  if (kernels === undefined) checkKernel(definition, 'harness');
  else checkKernels(definition, kernels);
  if (typeof setup !== 'function') throw invalid(`harness: setup must be a function; given ${showValue(setup)}.`);
  if (ranks !== undefined) expectInteger('harness: ranks', ranks, 1, 4096);
  if (typeof local !== 'boolean') throw invalid(`harness: local must be true or false; given ${showValue(local)}.`);
  if (standIn !== undefined && typeof standIn !== 'boolean')
    throw invalid(`harness: standIn must be true or false; given ${showValue(standIn)}.`);
  expectInteger('harness: launches', launches, 1, MOST_LAUNCHES);
  expectInteger('harness: streams', streams, 1, MOST_STREAMS);
  const filled = { kind: 'harness', local, launches, streams } as const;
  return Object.freeze(definition.kernels === undefined ? { ...definition, ...filled } : { ...definition, ...filled });
}

/** With two ranks, the neighbours to the left and to the right are the same rank. */
const ranksByDefault = Object.freeze([2, 3, 4] as const);

/** The numbers of ranks with which to check a harness: its own, or else 2, 3 and 4. */
export function ranksToCheck({ ranks }: Pick<Harness, 'ranks'>): readonly [number, ...number[]] {
  return ranks === undefined ? ranksByDefault : [ranks];
}

/** A check of more launches than these takes minutes, and finds no more. */
const MOST_LAUNCHES = 4096;
export const MOST_STREAMS = 1024;

function checkKernels(definition: StepsDefinition, kernels: unknown): void {
  if (typeof kernels !== 'object' || kernels === null || Array.isArray(kernels)) {
    throw invalid(
      `harness: kernels must be an object with a kernel for each name, such as { main: { entry, grid, block } }; given ${showValue(kernels)}.`,
    );
  }
  const named = Object.entries(definition.kernels);
  if (named.length === 0) throw invalid('harness: kernels is empty; write a kernel for each name.');
  const misplaced = kernelFields.find((name) => Object.hasOwn(definition, name));
  if (misplaced !== undefined) {
    throw invalid(`harness: ${misplaced} belongs to one kernel, and there are kernels; write it there.`);
  }
  for (const [name, kernel] of named) {
    const given: unknown = kernel;
    if (typeof given !== 'object' || given === null)
      throw invalid(`harness: kernel ${name} must be { entry, grid, block }; given ${showValue(given)}.`);
    checkKernel(kernel, `harness: kernel ${name}`);
  }
}

/** The kernels by name. A harness of one kernel calls it by its entry. */
export function kernelsOf(described: Harness): ReadonlyMap<string, HarnessKernel> {
  if (described.kernels === undefined) return new Map([[nameOfOne(described), described]]);
  const { kernel } = described;
  const own = Object.entries(described.kernels);
  return new Map(
    own.map(([name, one]) => [
      name,
      one.kernel !== undefined || one.ptx !== undefined || kernel === undefined ? one : { ...one, kernel },
    ]),
  );
}

function nameOfOne({ entry }: HarnessKernel): string {
  return typeof entry === 'function' ? 'kernel' : String(entry);
}

/** Checks the object's marker, because a module may have loaded another copy of the package. */
export function isHarness(value: unknown): value is Harness {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'harness' && 'setup' in value;
}
