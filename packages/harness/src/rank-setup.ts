import type { Allocation, Fill } from './memory/allocation.ts';
import type { Expectation } from './memory/expectation.ts';
import type { HarnessArgument } from './memory/harness-argument.ts';
import type { MemoryType, TypedValue } from './memory/memory-type.ts';
import type { Address, Pointer } from './memory/pointer.ts';
import type { CopyOptions, HostStep, LaunchStepOptions, Step, WaitWordOptions, WordOptions } from './step.ts';

/** Describes a rank in `setup`. `Name` are the names of the kernels, if there are several. */
export interface RankSetup<Name extends string = never> {
  readonly rank: number;
  /** All ranks, ascending. */
  readonly ranks: readonly number[];
  readonly nRanks: number;
  /** The number of launches of the whole list: that of the harness, or of `--sequence`. */
  readonly launches: number;
  /**
   * Allocates memory under a name, on every rank. Pass a type and `count` elements, which the host
   * sets to zero unless you give values or `'uninitialised'`. Or pass a list of values, or a number
   * of bytes, which are uninitialised as after `cudaMalloc`.
   */
  readonly alloc: Alloc;
  /** The address of a byte of an allocation at a rank, for arguments, structs and memory. */
  readonly peer: (allocation: Allocation, rank: number, byteOffset?: number) => Pointer;
  /**
   * The addresses of a byte of an allocation at all ranks, in their order: the table of pointers
   * that kernels index by the rank.
   *
   * @example
   * args: [alloc('peers', ptr, peers(data)), Pointers({ of: peers(flags) })],
   */
  readonly peers: (allocation: Allocation, byteOffset?: number) => readonly Pointer[];
  /**
   * The sum of a number over all ranks, as an AllReduce computes it.
   *
   * @example
   * expect: () => out.equals((i) => sum((r) => r + (i % 8))),
   */
  readonly sum: (term: (rank: number) => number) => number;
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
  /**
   * A step that launches a kernel of `kernels` on this rank. There is one argument for each
   * parameter of the entry, in order. The host does not wait for it.
   *
   * @example
   * steps: [
   *   launch('send', [data, peer(inbox, 1)]),
   *   launch('reduce', [inbox, out], { stream: 1, grid: 4 }),
   * ],
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if there is no such kernel, or an option is wrong.
   */
  readonly launch: (kernel: Name, args: readonly HarnessArgument[], options?: LaunchStepOptions) => Step;
  /**
   * A step that copies bytes on the device, as `cudaMemcpyAsync` and `cudaMemcpyPeerAsync` do: on a
   * stream, while the host goes on. Either address may be a peer's. Findings name the line of the
   * call.
   *
   * @example
   * steps: [launch('barrier', args), memcpy(peer(inbox, 1), data), launch('barrier', args)]
   * @param bytes the number of bytes; by default all from `from` to the end of its allocation
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if bytes are outside of an allocation.
   */
  readonly memcpy: (to: Address, from: Address, bytes?: number, options?: CopyOptions) => Step;
  /**
   * A step that sets bytes to `value`, as `cudaMemsetAsync` does: on a stream, while the host goes
   * on. The address may be a peer's. Findings name the line of the call.
   *
   * @param bytes the number of bytes; by default all from `to` to the end of its allocation
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if bytes are outside of the allocation, or the value
   *   is no byte.
   */
  readonly memset: (to: Address, value: number, bytes?: number, options?: CopyOptions) => Step;
  /**
   * A step in which the host waits for a stream of this rank, as `cudaStreamSynchronize` does. By
   * default it waits for all of them. Later steps are issued after that.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the stream is not an integer from 0 to 1023.
   */
  readonly synchronize: (stream?: number) => Step;
  /**
   * A step that writes a word on a stream, as `cuStreamWriteValue32` does, once all earlier work of
   * the stream has ended. The address may be a peer's.
   *
   * @example
   * steps: [launch('produce', [data]), writeWord(peer(flag, 1), 1)]
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the word is outside of its allocation or not
   *   aligned, or the value does not fit.
   */
  readonly writeWord: (to: Address, value: number | bigint, options?: WordOptions) => Step;
  /**
   * A step in which a stream waits for a word, as with `cuStreamWaitValue32`, while the host goes
   * on. Later work of the stream comes after everything that the word announces.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` as for `writeWord`.
   */
  readonly waitWord: (from: Address, value: number | bigint, options?: WaitWordOptions) => Step;
  /**
   * A step that records an event of this rank on a stream, as `cudaEventRecord` does. Events are
   * numbers from 0 to 1023.
   */
  readonly record: (event: number, options?: CopyOptions) => Step;
  /**
   * A step in which a stream waits for the last record of an event of this rank, as with
   * `cudaStreamWaitEvent`. An event that was never recorded is not waited for.
   */
  readonly waitEvent: (event: number, options?: CopyOptions) => Step;
  /**
   * A step in which the hosts of all ranks meet, as with `MPI_Barrier`. It does not wait for
   * streams: `synchronize` before it does.
   */
  readonly hostBarrier: () => Step;
}

/** The first contents of an allocation. Uninitialised memory is as after `cudaMalloc`. */
export type Contents<V> = Fill<V> | 'uninitialised';

export interface Alloc {
  <V>(name: string, type: MemoryType<V>, count: number, values?: Contents<V>): Allocation<V>;
  <V>(name: string, type: MemoryType<V>, values: ArrayLike<V>): Allocation<V>;
  (name: string, bytes: number): Allocation<number | bigint>;
}

/** The results that a rank expects. */
export interface RankResults {
  /** The expected contents of memory after this rank's launches have ended. */
  readonly expect?: () => Expectation | readonly Expectation[];
}

/** The result of `setup` for one kernel. */
export interface RankLaunches extends RankResults {
  /**
   * The arguments, one for each parameter of the entry, in order. Or a function of the launch, from
   * 0.
   */
  readonly args: readonly HarnessArgument[] | ((launch: number) => readonly HarnessArgument[]);
  /**
   * The host's actions after launch `launch` (from 1) and before the next. With several streams, it
   * is called when all have had the same number of launches, and the host first waits for them.
   */
  readonly between?: (launch: number) => HostStep | readonly HostStep[] | undefined;
}

/** The result of `setup` for several kernels. */
export interface RankSteps extends RankResults {
  /**
   * The steps in the order in which the host issues them: launches, copies, writes of the host. Or
   * a function of the launch of the whole list, from 0. A rank may have none.
   */
  readonly steps: readonly Step[] | ((launch: number) => readonly Step[]);
}
