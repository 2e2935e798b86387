import { expectInteger, showValue } from '@nccl-ts/core';
import type { Extent } from '@nccl-ts/communicator';
import type { DevCommRequirements } from '@nccl-ts/devcomm';
import type { Allocation, Fill } from './memory/allocation.ts';
import type { Expectation } from './memory/expectation.ts';
import type { HostStep } from './memory/host-step.ts';
import { invalid, type MemoryType, type TypedValue } from './memory/memory-type.ts';
import type { Address, Pointer } from './memory/pointer.ts';

/** The launch of a kernel read from PTX on simulated ranks. */
export interface HarnessDefinition {
  /**
   * The `.cu` or `.ptx` file, relative to the folder of the module. The command line may name
   * another.
   */
  readonly kernel?: string;
  /**
   * The entry's name, mangled or not. It may be a part of the name that only one entry has, or a
   * regular expression.
   */
  readonly entry: string | RegExp;
  /**
   * The number of ranks, if the kernel fixes it. By default a check runs each number of
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
  /** The number of CTAs of each rank, up to 65536 in all. */
  readonly grid: Extent;
  /** The number of threads of each CTA. */
  readonly block: Extent;
  /**
   * The number of launches of each rank, up to 4096. The host does not wait between them.
   *
   * @default 2, so that the state after one launch affects the next
   */
  readonly launches?: number;
  /**
   * The number of streams of each rank. The launches use them in turn, and launches on different
   * streams run concurrently. There are at most 1024.
   *
   * @default 1
   */
  readonly streams?: number;
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
  /**
   * The requirements on the device communicator of a kernel that is compiled against the stand-in
   * headers. They are `ncclDevCommRequirements` in the form of `createDevComm`. By default they are
   * NCCL's defaults, or those of the NVSHMEM functions.
   */
  readonly devComm?: DevCommRequirements;
  /**
   * Describes one rank's memory and launches. It is called once for each rank, before any memory
   * exists. It must make the same allocations in the same order on all ranks.
   */
  readonly setup: (rank: RankSetup) => RankLaunches;
}

/** Describes a rank in `setup`. */
export interface RankSetup {
  readonly rank: number;
  /** All ranks, ascending. */
  readonly ranks: readonly number[];
  readonly nRanks: number;
  /**
   * Allocates memory under a name, on every rank. Pass a type and `count` elements, which the host
   * sets to zero unless you give values. Or pass a list of values, or a number of bytes, which are
   * uninitialised as after `cudaMalloc`.
   */
  readonly alloc: Alloc;
  /** The address of a byte of an allocation at a rank, for arguments, structs and memory. */
  readonly peer: (allocation: Allocation, rank: number, byteOffset?: number) => Pointer;
  /**
   * The multicast address of a byte of an allocation, which addresses the copies of all ranks.
   * `multimem` instructions and stores may use it. A check warns of stores that are not `multimem`.
   */
  readonly multicast: (allocation: Allocation, byteOffset?: number) => Pointer;
  /**
   * The device communicator, as an argument of a kernel that is compiled against the stand-in
   * `nccl_device.h`: an `ncclDevComm` by value. An allocation is an `ncclWindow_t` for such a
   * kernel.
   */
  readonly devComm: TypedValue;
  /**
   * The distance in bytes between the allocations of neighbouring ranks, for kernels that compute
   * the addresses of peers. They start at `peer(allocation, 0)`.
   */
  readonly rankStride: bigint;
}

export interface Alloc {
  <V>(name: string, type: MemoryType<V>, count: number, values?: Fill<V>): Allocation<V>;
  <V>(name: string, type: MemoryType<V>, values: ArrayLike<V>): Allocation<V>;
  (name: string, bytes: number): Allocation<number | bigint>;
}

/**
 * An argument. It is a number for a scalar parameter, and an address for a pointer. For a struct it
 * is a typed value such as `RankData({ ... })`, or the raw bytes of the parameter.
 */
export type HarnessArgument = number | bigint | boolean | Address | TypedValue | Uint8Array;

/** The result of `setup`. */
export interface RankLaunches {
  /**
   * The arguments, one for each parameter of the entry, in order. Or a function of the launch, from
   * 0.
   */
  readonly args: readonly HarnessArgument[] | ((launch: number) => readonly HarnessArgument[]);
  /** The expected contents of memory after this rank's launches have ended. */
  readonly expect?: () => Expectation | readonly Expectation[];
  /**
   * The host's actions after launch `launch` (from 1) and before the next. With several streams, it
   * is called when all have had the same number of launches, and the host first waits for them.
   */
  readonly between?: (launch: number) => HostStep | readonly HostStep[] | undefined;
}

/** A description that `harness` has validated, with all defaults filled in. */
export interface Harness extends Required<Omit<HarnessDefinition, 'kernel' | 'devComm' | 'programmatic' | 'ranks'>> {
  readonly kind: 'harness';
  readonly kernel?: string;
  readonly ranks?: number;
  readonly devComm?: DevCommRequirements;
  readonly programmatic?: boolean;
}

/**
 * Describes how a kernel is launched. A module exports the result as its default.
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
export function harness(definition: HarnessDefinition): Harness {
  const { entry, setup, ranks, local = false, launches = 2, streams = 1, dynamicShared = 0, known = {} } = definition;
  if (typeof entry !== 'string' && !(entry instanceof RegExp)) {
    throw invalid(`harness: entry must be the name of an entry or a pattern of it; given ${showValue(entry)}.`);
  }
  if (typeof setup !== 'function') throw invalid(`harness: setup must be a function; given ${showValue(setup)}.`);
  if (ranks !== undefined) expectInteger('harness: ranks', ranks, 1, 4096);
  if (typeof local !== 'boolean') throw invalid(`harness: local must be true or false; given ${showValue(local)}.`);
  expectInteger('harness: launches', launches, 1, MOST_LAUNCHES);
  expectInteger('harness: streams', streams, 1, MOST_STREAMS);
  expectInteger('harness: dynamicShared', dynamicShared, 0);
  const { programmatic } = definition;
  if (programmatic !== undefined && typeof programmatic !== 'boolean')
    throw invalid(`harness: programmatic must be true or false; given ${showValue(programmatic)}.`);
  for (const name of ['grid', 'block'] as const) {
    if (definition[name] === undefined) throw invalid(`harness: ${name} is missing: a number, or { x, y, z }.`);
  }
  expectSimulated(definition.grid);
  for (const offset of Object.keys(known)) expectInteger('harness: an offset of known', Number(offset), 0);
  return Object.freeze({ ...definition, kind: 'harness', local, launches, streams, dynamicShared, known });
}

/** With two ranks, the neighbours to the left and to the right are the same rank. */
const ranksByDefault = Object.freeze([2, 3, 4] as const);

/** The numbers of ranks with which to check a harness: its own, or else 2, 3 and 4. */
export function ranksToCheck({ ranks }: Pick<Harness, 'ranks'>): readonly [number, ...number[]] {
  return ranks === undefined ? ranksByDefault : [ranks];
}

/** A check of more launches or CTAs than these takes minutes, and finds no more. */
const MOST_LAUNCHES = 4096;
const MOST_STREAMS = 1024;
const MOST_CTAS = 2 ** 16;

/** The launch checks that the extents are numbers of CTAs. */
function expectSimulated(grid: Extent): void {
  const { x, y = 1, z = 1 } = typeof grid === 'number' ? { x: grid } : grid;
  const ctas = x * y * z;
  if (ctas > MOST_CTAS) {
    throw invalid(
      `harness: grid has ${ctas} CTAs, and at most ${MOST_CTAS} are simulated; describe a smaller launch, which finds the same.`,
    );
  }
}

/** Checks the object's marker, because a module may have loaded another copy of the package. */
export function isHarness(value: unknown): value is Harness {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'harness' && 'setup' in value;
}
