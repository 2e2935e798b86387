import type { Capabilities, SourceLocation, ValidatedModule } from '@nccl-ts/ir';
import type { Topology } from '@nccl-ts/topology';
import type { WindowFlags } from '@nccl-ts/window';
import type { DevCommPlan, ResourceSupport } from '@nccl-ts/devcomm';
import type { CollectiveWork } from './collective-work.ts';
import type { ExposedMemory } from './exposed-memory.ts';
import type { KernelArg } from './kernel-arg.ts';
import type { RankMisuse } from './rank-misuse.ts';
import type { WindowHandle, DevCommHandle } from './handles.ts';

/**
 * Runs kernels. `communicator` validates every argument before it calls a backend, so an
 * implementation may rely on the documented types and ranges. A backend throws `NcclError` only for
 * problems that no layer above could know, such as a driver's error or too little memory.
 */
export interface Backend {
  readonly name: string;
  /**
   * The features of the backend. The object is frozen and JSON-serialisable, and does not change
   * during the backend's lifetime.
   */
  readonly capabilities: Capabilities;
  /** Called once per world. One process may hold all ranks, or some of them. */
  open(options: OpenWorldOptions): Promise<BackendWorld>;
  /**
   * Makes the identifier that the processes of one world use to find each other. Absent if all
   * ranks are in one process.
   *
   * @see ncclGetUniqueId
   */
  getUniqueId?(): Promise<Uint8Array<ArrayBuffer>>;
}

/** A logical endpoint that a host has found, and an offset in it. */
export interface HostEndpoint {
  readonly leId: number;
  readonly leOffset: number;
}

/**
 * The rank of this process, if each process holds one rank. The backend takes absent fields from
 * the environment variables of common process launchers.
 */
export interface ProcessRank {
  readonly rank?: number;
  readonly nRanks?: number;
  /** The result of `getUniqueId`. One process calls it and sends it to all others. */
  readonly uniqueId?: Uint8Array;
}

export interface OpenWorldOptions {
  /**
   * Called when nothing can progress, because no kernel runs and every host program waits or has
   * ended. `error` is the backend's report if kernels or streams are stuck. Their pending
   * `synchronize` calls also reject with it.
   */
  readonly onStall: (error: Error | undefined) => void;
  /**
   * Says that this process holds one rank. Set only if the backend has `getUniqueId`. If absent,
   * the process holds all ranks.
   */
  readonly process?: ProcessRank;
}

/** The state of a rank's host program, for its world. */
export type HostState =
  /** The program runs, or awaits something that this world does not provide. */
  | 'running'
  /** The program awaits an operation of this world, so only this world can let it continue. */
  | 'waiting'
  /** The program has returned. */
  | 'done';

/** Memory of one rank. Backends add their own fields, which only they read. */
export interface DeviceBuffer {
  readonly rank: number;
  readonly bytes: number;
}

/**
 * Some ranks of a world, renumbered. It is the backend's view of a communicator that was made from
 * another.
 */
export interface RankGroup {
  /** The world ranks, by their rank in the group, without duplicates. */
  readonly members: readonly number[];
  /** Their load-store domains, by their ranks in the group. */
  readonly topology: Topology;
}

/** The position of a window in a buffer. */
export interface BufferPart {
  readonly buffer: DeviceBuffer;
  readonly offset: number;
}

/** A queue of launches and copies of one rank, run in order. */
export interface StreamHandle {
  readonly rank: number;
}

/** A kernel prepared for this world. It is specialised lazily for block sizes and ranks. */
export interface Executable {
  readonly name: string;
  /** The code generated so far, for people to read: JavaScript, WGSL or CUDA C++. */
  readonly artifacts: readonly { readonly language: string; readonly text: string }[];
}

export interface Dim3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export interface LaunchConfig {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly stream: StreamHandle;
  /**
   * Cancels the launch. Parts that have not run yet never run, and the stream's `synchronize`
   * rejects.
   */
  readonly signal?: AbortSignal;
  /** Attributes for the hardware. Backends without such hardware run the launch unchanged. */
  readonly attributes?: LaunchAttributes;
  /** The purpose of the launch, which a backend's reports may show beside the kernel's name. */
  readonly label?: string;
  /**
   * The combined effect of this launch and those of the other ranks, as a list of steps. A backend
   * may do this work without running the kernel, if memory is the same afterwards.
   */
  readonly work?: readonly CollectiveWork[];
}

/**
 * Launch attributes for GPUs. A backend may ignore them. They do not affect the results of correct
 * kernels, which order memory as their domains require and wait for the previous launch if they may
 * begin early. The simulator supports all of them.
 *
 * @see cudaLaunchAttribute
 */
export interface LaunchAttributes {
  /**
   * The memory synchronization domain that the kernel's fences wait for. Kernels of one GPU in
   * different domains must order shared memory at system scope.
   *
   * @default `default`
   */
  readonly memSyncDomain?: 'default' | 'remote';
  /**
   * True to run all CTAs at the same time. If that is impossible, the launch is refused with
   * `NCCL_INVALID_USAGE`.
   *
   * @default false
   */
  readonly cooperative?: boolean;
  /**
   * The kernel may begin before the previous one on the stream has ended, as soon as each CTA of
   * that one has called `launchDependents` or has ended. It sees the writes of the previous kernel
   * only after `gridDependencySync`. If a kernel does not call that, later launches are not ordered
   * after the previous launch either. The CUDA code waits at the entry of kernels that never call
   * `gridDependencySync`, but do not rely on that.
   *
   * Without this option, a kernel sees all earlier writes on its stream by kernels that waited for
   * their predecessors.
   *
   * @default false
   */
  readonly programmaticStreamSerialization?: boolean;
}

/**
 * The physical domains of the two logical ones. Each must be below
 * `BackendWorld.memSyncDomainCount`.
 *
 * @see cudaLaunchMemSyncDomainMap
 */
export interface MemSyncDomainMap {
  readonly default: number;
  readonly remote: number;
}

export interface CreateStreamOptions {
  readonly memSyncDomainMap?: MemSyncDomainMap;
}

export interface CompileOptions {
  /**
   * True if the kernel's waits end when the launch is cancelled or the world is aborted. Default:
   * false. A backend that can always end kernels may ignore it.
   */
  readonly abortable?: boolean;
}

/** Recorded launches of one or more streams, which can be launched again together. */
export interface GraphHandle {
  /** The ranks of the streams, in the order of the streams. */
  readonly ranks: readonly number[];
  readonly launches: number;
}

/** The results of the launches since the last `synchronize`. */
export interface LaunchReport {
  readonly launches: number;
  /**
   * The lines that kernels printed, in order of arrival, in the form of `printedLine`. The lines of
   * one thread keep their order.
   */
  readonly printed: readonly string[];
}

/**
 * A world of a backend. Unless stated otherwise, ranks are world ranks, even for windows and device
 * communicators of a group.
 */
export interface BackendWorld extends AsyncDisposable {
  readonly topology: Topology;
  /** The ranks whose memory and launches this process owns, ascending. */
  readonly localRanks: readonly number[];
  /**
   * The features that all ranks support.
   *
   * @default symmetric memory, multimem as in the capabilities, and no GIN
   */
  readonly support?: ResourceSupport;
  /**
   * True if the CPU runs kernels in place of a GPU. Algorithms are then selected with fewer
   * threads. It is the same for all ranks.
   *
   * @default false
   */
  readonly software?: boolean;
  /**
   * The largest number of ranks on one device. Numbers of CTAs, and limits of concurrent CTAs, are
   * divided by it. It is the same for all ranks. By default each rank has its own device.
   */
  readonly ranksPerDevice?: number;
  /**
   * True if each rank has its own GPU and NVLink connects every two of them. Algorithms may then
   * rely on what NVLink does: a line of 128 bytes that one instruction of a warp stores arrives as
   * a whole. It is the same for all ranks.
   *
   * @default false
   */
  readonly nvlink?: boolean;

  /**
   * Allocates zero-filled memory, aligned to 4096 bytes. Rejects with `NCCLTS_OUT_OF_MEMORY` if
   * there is not enough.
   */
  alloc(rank: number, bytes: number): Promise<DeviceBuffer>;
  /**
   * Adopts existing memory of the caller as memory of `rank`, without a copy. The backend defines
   * and checks the types of `foreign`. The layers above only know that it is an object. The caller
   * still owns the memory, and `free` releases it unchanged. Absent if a backend supports no such
   * memory.
   */
  adopt?(rank: number, foreign: object): Promise<DeviceBuffer>;
  free(buffer: DeviceBuffer): Promise<void>;
  /**
   * Copies host bytes into the buffer at byte `offset`. Not ordered against running kernels. `call`
   * is the position of the host program's call, if it is known: reports of a checking backend show
   * it.
   */
  write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number, call?: SourceLocation): Promise<void>;
  /** As `write`, into host memory. */
  read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number, call?: SourceLocation): Promise<void>;
  /**
   * Exposes `bytes` bytes from `offset` on in the backend's own form, without a copy. If an
   * allocation moves memory, earlier results become invalid. Absent if a backend has no memory that
   * a program could use.
   */
  expose?(buffer: DeviceBuffer, offset: number, bytes: number): ExposedMemory;

  /**
   * Makes a group of some ranks of the world. Windows and device communicators can then be made
   * over them, and kernels see the ranks of the group. `members` are world ranks of this process,
   * by their rank in the group. Absent if a backend does not support groups.
   *
   * @see ncclCommSplit, ncclCommShrink
   */
  createGroup?(members: readonly number[]): Promise<RankGroup>;
  /**
   * Frees a group. It is called after everything made over the group was freed. Absent if groups
   * have no resources.
   */
  destroyGroup?(group: RankGroup): Promise<void>;

  /**
   * Registers a window. `parts` has one entry per local rank, in the order of `localRanks`, or one
   * per member of the group, in its order. An entry is the `bytes` bytes from `offset` on, which is
   * a multiple of 4096 and inside the buffer. `name` is for reports, and a backend may ignore it.
   */
  registerWindow(
    parts: readonly BufferPart[],
    bytes: number,
    flags: WindowFlags,
    group?: RankGroup,
    name?: string,
  ): Promise<WindowHandle>;
  deregisterWindow(window: WindowHandle): Promise<void>;
  /**
   * The device address, for rank `rank`, of byte `offset` of the window's copy at world rank
   * `peer`. `undefined` if `rank` cannot load and store there.
   */
  devicePointer(window: WindowHandle, rank: number, peer: number, offset: number): number | undefined;
  /**
   * The multicast address of byte `offset` for kernels of `rank`. It covers the ranks whose
   * multicast addresses begin at `base`, a result of `multimemBase`; by default the LSA team.
   * `undefined` if there is none. Called only if `support` has multimem.
   */
  multimemPointer?(window: WindowHandle, rank: number, offset: number, base?: number): number | undefined;
  /**
   * The endpoint of the compute fabric through which kernels of `rank` reach the window's copy at
   * world rank `peer`, or those of the multicast group of `rank`, and the location of byte `offset`
   * in it. Called only if `support` has these endpoints. Absent if the backend gives hosts none.
   */
  logicalEndpoint?(window: WindowHandle, rank: number, peer: number | 'multicast', offset: number): HostEndpoint;

  /**
   * Allocates the plan's resource buffer on every local rank, zero-filled. `teamRanks` has one
   * entry per local rank, in the order of `localRanks`: its own rank in each team of
   * `teamRequirementsList`. If absent, all ranks use those of the plan. With a group, both are for
   * its members, in its order, and the plan uses its topology.
   */
  createDevComm(
    plan: DevCommPlan,
    teamRanks?: readonly (readonly number[])[],
    group?: RankGroup,
  ): Promise<DevCommHandle>;
  /**
   * The start of the multicast addresses that the plan requires, for kernels of `rank`: over the
   * LSA team, or over team number `team` of `teamRequirementsList`. 0 if the plan does not require
   * them. Absent if a backend has no multimem.
   */
  multimemBase?(devComm: DevCommHandle, rank: number, team: number | 'lsa'): number;
  /**
   * The device address, for kernels of `rank`, of its own signal 0 in GIN context `context`. The
   * other signals of the context follow it, each of 8 bytes. Absent if a backend keeps signals
   * elsewhere.
   */
  signalAddress?(devComm: DevCommHandle, rank: number, context: number): number;
  destroyDevComm(devComm: DevCommHandle): Promise<void>;

  /**
   * The number of physical memory synchronization domains of the rank's device. Absent means one.
   */
  memSyncDomainCount?(rank: number): number;
  createStream(rank: number, options?: CreateStreamOptions): Promise<StreamHandle>;
  destroyStream(stream: StreamHandle): Promise<void>;

  compile(module: ValidatedModule, options?: CompileOptions): Promise<Executable>;
  /**
   * Prepares the world for launches with `work`. No launch with `work` is enqueued before it has
   * resolved. It is called any number of times, and never rejects. Absent if the world runs all
   * kernels.
   */
  prepareWork?(): Promise<void>;
  /**
   * Enqueues a launch and returns. `args` match the module's parameters one by one. All arguments
   * that belong to a group belong to the same one.
   */
  launch(executable: Executable, config: LaunchConfig, args: readonly KernelArg[]): void;
  /**
   * Ends the running and waiting work of the stream, as far as kernels can be ended. The stream's
   * pending or next `synchronize` rejects with an error whose cause is `reason`. The stream remains
   * usable. Absent if a backend can only end all work.
   */
  cancel?(stream: StreamHandle, reason: Error): void;
  /**
   * Resolves when all work enqueued before has ended. Rejects with the first failure since the last
   * call.
   */
  synchronize(stream: StreamHandle): Promise<LaunchReport>;

  /**
   * Begins a recording. Until `endCapture`, launches on the streams are recorded instead of run,
   * and no other operation is allowed. If a backend lacks these four methods, the layer above
   * records launches itself.
   */
  beginCapture?(streams: readonly StreamHandle[]): void;
  /** Ends the recording that began with these streams. */
  endCapture?(streams: readonly StreamHandle[]): GraphHandle;
  /**
   * Runs the recorded launches as one launch on the first recorded stream, keeping the order of
   * each stream. The launch follows pending work of the other streams, and later work on them
   * follows it.
   */
  launchGraph?(graph: GraphHandle): void;
  destroyGraph?(graph: GraphHandle): Promise<void>;

  /**
   * Reports mismatched calls of several ranks, which a package above has found. The rank that made
   * the last call also gets an error. A checking backend adds them to its report. Absent if a world
   * has no report. Call sites are then not recorded.
   */
  misused?(misuse: RankMisuse): void;
  /**
   * Reports that a rank's host program begins an operation, after another one has ended and while a
   * third one is pending since before that end. It may depend on which of the two ends first.
   * Absent if a backend does not examine other orders.
   */
  hostChooses?(rank: number): void;
  /** Reports the state of a rank's host program. A backend needs it to detect deadlocks. */
  setHostState(rank: number, state: HostState): void;
  /**
   * Ends all running and waiting work. Pending `synchronize` calls reject with an error whose cause
   * is `reason`.
   */
  abort(reason: Error): void;
}
