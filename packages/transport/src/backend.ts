import type { Capabilities, ValidatedModule } from '@nccl-ts/ir';
import type { Topology } from '@nccl-ts/topology';
import type { WindowFlags } from '@nccl-ts/window';
import type { DevCommPlan, ResourceSupport } from '@nccl-ts/devcomm';
import type { CollectiveWork } from './collective-work.ts';
import type { ExposedMemory } from './exposed-memory.ts';
import type { KernelArg } from './kernel-arg.ts';
import type { RankMisuse } from './rank-misuse.ts';

/**
 * What runs kernels. `communicator` validates every argument before it calls, so an implementation
 * may rely on the documented types and ranges; it throws `NcclError` only for what nobody above
 * could know (a driver's error, memory gone).
 */
export interface Backend {
  readonly name: string;
  /** Frozen, JSON-serialisable, constant for the lifetime of the backend. */
  readonly capabilities: Capabilities;
  /** Called once per world. One process may hold all ranks, or some of them. */
  open(options: OpenWorldOptions): Promise<BackendWorld>;
  /**
   * Makes what the processes of one world need to find each other. Absent where all ranks are in
   * one process.
   *
   * @see ncclGetUniqueId
   */
  getUniqueId?(): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * The place of this process among those that hold one rank each. What is left out, the backend
 * takes from the environment, as launchers of such processes set it.
 */
export interface ProcessPlace {
  readonly rank?: number;
  readonly nRanks?: number;
  /** From `getUniqueId`, called by one process and brought to all. */
  readonly uniqueId?: Uint8Array;
}

export interface OpenWorldOptions {
  /**
   * Called when nothing can move any more: no kernel, and every host program waits or is done.
   * `error` is the backend's report where kernels or streams are stuck (their pending `synchronize`
   * calls reject with it too).
   */
  readonly onStall: (error: Error | undefined) => void;
  /**
   * This process holds one rank. Given only where the backend has `getUniqueId`; left out, it holds
   * all ranks.
   */
  readonly process?: ProcessPlace;
}

/** What a rank's host program is doing, as far as its world is concerned. */
export type HostState =
  /** It runs, or awaits something that this world does not provide. */
  | 'running'
  /** It awaits an operation of this world, so only this world can move it. */
  | 'waiting'
  /** It has returned. */
  | 'done';

/** Memory of one rank. Backends extend it with what they need; nobody else looks inside. */
export interface DeviceBuffer {
  readonly rank: number;
  readonly bytes: number;
}

/**
 * Some ranks of a world under numbers of their own: what a communicator made of another one is to a
 * backend.
 */
export interface RankGroup {
  /** World ranks, by their rank in the group. No rank twice. */
  readonly members: readonly number[];
  /** How these lie in load-store domains, by their ranks in the group. */
  readonly topology: Topology;
}

/** Where in a buffer a window begins. */
export interface BufferPart {
  readonly buffer: DeviceBuffer;
  readonly offset: number;
}

/** One window, over the buffers of all ranks, or of those of its group. */
export interface WindowHandle {
  readonly bytes: number;
  readonly flags: WindowFlags;
}

/** One device communicator, on all ranks, or on those of its group. */
export interface DevCommHandle {
  readonly plan: DevCommPlan;
}

/** A queue of launches and copies of one rank, run in order. */
export interface StreamHandle {
  readonly rank: number;
}

/** A kernel made ready for this world; specialised lazily for block size and ranks. */
export interface Executable {
  readonly name: string;
  /** What was generated so far, for people: JavaScript, WGSL, CUDA C++. */
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
   * Cancels the launch: what has not run yet never runs, and the stream's `synchronize` rejects.
   */
  readonly signal?: AbortSignal;
  /** How the hardware is to run it. Backends without such hardware run it all the same. */
  readonly attributes?: LaunchAttributes;
  /** What it is for, in words that a backend's reports may repeat beside the kernel's name. */
  readonly label?: string;
  /**
   * What the launch comes to, one after the other, together with those of the other ranks. A
   * backend that can do that without the kernel may, if memory holds the same afterwards.
   */
  readonly work?: readonly CollectiveWork[];
}

/**
 * Hints and demands of a launch that concern GPUs. A backend may ignore them: what kernels compute
 * does not depend on them, if they order memory as their domains ask for, and wait for the launch
 * before them where they may begin early. The simulator keeps to all of them.
 *
 * @see cudaLaunchAttribute
 */
export interface LaunchAttributes {
  /**
   * The memory synchronization domain that the kernel's fences wait for. Kernels of one GPU in
   * different domains must order what they share at system scope. Default: `default`.
   */
  readonly memSyncDomain?: 'default' | 'remote';
  /**
   * All CTAs run at the same time, or the launch is refused with `NCCL_INVALID_USAGE`. Default:
   * false.
   */
  readonly cooperative?: boolean;
  /**
   * The kernel may begin before the one before it on the stream has ended, as soon as each CTA of
   * that has called `launchDependents` or has ended. It sees what that one wrote only after
   * `gridDependencySync`; a launch behind a kernel that has not called that is not ordered behind
   * the first one either. Default: false: a kernel sees all that was written before it on its
   * stream, by kernels that have waited for those before them. The text for CUDA waits at the entry
   * of kernels that call no `gridDependencySync`; do not rely on that.
   */
  readonly programmaticStreamSerialization?: boolean;
}

/**
 * The physical domain for each of the two that launches name; below what
 * `BackendWorld.memSyncDomainCount` says.
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
   * The kernel's waits end when the launch is cancelled or the world aborted. Default: false. A
   * backend whose kernels can always be ended need not look at it.
   */
  readonly abortable?: boolean;
}

/** Launches of one or more streams, recorded to be launched again as one. */
export interface GraphHandle {
  /** Of the streams, in their order. */
  readonly ranks: readonly number[];
  readonly launches: number;
}

/** What `synchronize` learnt of the launches since the last one. */
export interface LaunchReport {
  readonly launches: number;
  /**
   * Lines that kernels printed, in the order they came, as `printedLine` writes them: those of one
   * thread in its order.
   */
  readonly printed: readonly string[];
}

/**
 * Wherever nothing else is said, ranks are those of the world: of a group's windows and device
 * communicators too.
 */
export interface BackendWorld extends AsyncDisposable {
  readonly topology: Topology;
  /** The ranks whose memory and launches this process owns, ascending. */
  readonly localRanks: readonly number[];
  /**
   * What the ranks can do together. Where it is left out: symmetric memory, multimem as the
   * capabilities say, no GIN.
   */
  readonly support?: ResourceSupport;
  /**
   * True if a program for the CPU stands in for a GPU: what is chosen for speed is fewer threads
   * then. The same for all ranks. Where it is left out: no.
   */
  readonly software?: boolean;
  /**
   * How many ranks share a device, at most: what is chosen for speed, and what must run side by
   * side, is so much smaller. The same for all ranks. Where it is left out: each rank has one to
   * itself.
   */
  readonly ranksPerDevice?: number;

  /**
   * Zero-filled memory, aligned to 4096 bytes. Rejects with `NCCLTS_OUT_OF_MEMORY` where there is
   * none.
   */
  alloc(rank: number, bytes: number): Promise<DeviceBuffer>;
  /**
   * Memory that the caller has already, as memory of `rank`, without a copy. What `foreign` may be
   * is for the backend to say and to check: above it is only known to be an object. It stays the
   * caller's: `free` lets go of it and leaves it as it is. Absent where a backend takes none.
   */
  adopt?(rank: number, foreign: object): Promise<DeviceBuffer>;
  free(buffer: DeviceBuffer): Promise<void>;
  /** Copies host bytes into the buffer at byte `offset`. Not ordered against running kernels. */
  write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number): Promise<void>;
  read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number): Promise<void>;
  /**
   * The `bytes` bytes from `offset` on, as this backend has them, without a copy. Where memory may
   * move while more is allocated, what was exposed before is of no use any more. Absent where a
   * backend has no memory that a program could use.
   */
  expose?(buffer: DeviceBuffer, offset: number, bytes: number): ExposedMemory;

  /**
   * Makes a group of some ranks of the world: windows and device communicators can then be made
   * over these alone, and kernels find the ranks of the group in them. `members` are world ranks,
   * all of this process, by their rank in the group. Absent where a backend has no such thing.
   *
   * @see ncclCommSplit, ncclCommShrink
   */
  createGroup?(members: readonly number[]): Promise<RankGroup>;
  /**
   * Nothing that was made over the group is there any more. Absent where groups have nothing to
   * give back.
   */
  destroyGroup?(group: RankGroup): Promise<void>;

  /**
   * `parts` has one entry per local rank, in the order of `localRanks`, or one per member of the
   * group, in its order: the `bytes` bytes from `offset` on, a multiple of 4096 and inside the
   * buffer. `name` is for people; a backend may ignore it.
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
   * The device address of byte `offset` of the window's copy at world rank `peer`, as rank `rank`
   * would use it, or `undefined` where `rank` cannot load and store there.
   */
  devicePointer(window: WindowHandle, rank: number, peer: number, offset: number): number | undefined;
  /**
   * The multicast address of byte `offset` for kernels of `rank`: over the ranks whose multicast
   * addresses begin at `base`, as `multimemBase` gives it; left out, over the LSA team. `undefined`
   * where there is none. Called only where `support` has multimem.
   */
  multimemPointer?(window: WindowHandle, rank: number, offset: number, base?: number): number | undefined;

  /**
   * Allocates the plan's resource buffer on every local rank, zero-filled. `teamRanks` has one
   * entry per local rank, in the order of `localRanks`: its own place in each team of
   * `teamRequirementsList`. Left out, all have the places of the plan. With a group, both concern
   * its members, in its order, and the plan is of its topology.
   */
  createDevComm(
    plan: DevCommPlan,
    teamRanks?: readonly (readonly number[])[],
    group?: RankGroup,
  ): Promise<DevCommHandle>;
  /**
   * Where the multicast addresses that the plan asks for begin, for kernels of `rank`: over the LSA
   * team, or over number `team` of `teamRequirementsList`. 0 where the plan does not ask. Absent
   * where a backend has no multimem.
   */
  multimemBase?(devComm: DevCommHandle, rank: number, team: number | 'lsa'): number;
  destroyDevComm(devComm: DevCommHandle): Promise<void>;

  /** Physical memory synchronization domains of the rank's device. Absent: one. */
  memSyncDomainCount?(rank: number): number;
  createStream(rank: number, options?: CreateStreamOptions): Promise<StreamHandle>;
  destroyStream(stream: StreamHandle): Promise<void>;

  compile(module: ValidatedModule, options?: CompileOptions): Promise<Executable>;
  /**
   * Enqueues and returns. `args` match the module's parameters one by one; what is of a group among
   * them is of one.
   */
  launch(executable: Executable, config: LaunchConfig, args: readonly KernelArg[]): void;
  /**
   * Ends what runs or waits on the stream, as far as kernels can be ended: its `synchronize`,
   * pending or next, rejects with an error whose cause is `reason`. The stream can be used after
   * that. Absent where a backend can only end everything.
   */
  cancel?(stream: StreamHandle, reason: Error): void;
  /**
   * Resolves when all that was enqueued before has ended; rejects with the first thing that went
   * wrong since.
   */
  synchronize(stream: StreamHandle): Promise<LaunchReport>;

  /**
   * From here to `endCapture`, launches on the streams are recorded instead of run. Where a backend
   * lacks these four, what stands above it records launches itself. No other operation comes before
   * `endCapture`.
   */
  beginCapture?(streams: readonly StreamHandle[]): void;
  /** Ends the recording that began with these streams. */
  endCapture?(streams: readonly StreamHandle[]): GraphHandle;
  /**
   * Runs the recorded launches, each stream's in their order, as one launch on the first of the
   * streams that were recorded; it also follows what the other streams have under way, and what
   * they get later follows it.
   */
  launchGraph?(graph: GraphHandle): void;
  destroyGraph?(graph: GraphHandle): Promise<void>;

  /**
   * Tells of calls of several ranks that do not go together, which a package above has found.
   * Whoever made the last of them gets an error beside. A backend that checks reports them. Absent
   * where a world has no report: then nobody takes down where calls come from.
   */
  misused?(misuse: RankMisuse): void;
  /** Tells what a rank's host program does; a backend that can see a standstill needs it. */
  setHostState(rank: number, state: HostState): void;
  /**
   * Ends everything that runs or waits: pending `synchronize` calls reject with an error whose
   * cause is `reason`.
   */
  abort(reason: Error): void;
}
