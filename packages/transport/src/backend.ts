import type { Capabilities, ValidatedModule } from '@nccl-ts/ir';
import type { Topology } from '@nccl-ts/topology';
import type { WindowFlags } from '@nccl-ts/window';
import type { DevCommPlan, ResourceSupport } from '@nccl-ts/devcomm';
import type { KernelArg } from './kernel-arg.ts';

/**
 * What runs kernels. `communicator` validates every argument before it calls, so an implementation may rely on the
 * documented types and ranges; it throws `NcclError` only for what nobody above could know (a driver's error, memory
 * gone).
 */
export interface Backend {
  readonly name: string;
  /** Frozen, JSON-serialisable, constant for the lifetime of the backend. */
  readonly capabilities: Capabilities;
  /** Called once per world. One process may hold all ranks, or some of them. */
  open(options: OpenWorldOptions): Promise<BackendWorld>;
}

export interface OpenWorldOptions {
  /**
   * Called when nothing can move any more: no kernel, and every host program waits or is done. `error` is the backend's
   * report where kernels or streams are stuck (their pending `synchronize` calls reject with it too).
   */
  readonly onStall: (error: Error | undefined) => void;
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

/** One window, over the buffers of all ranks. */
export interface WindowHandle {
  readonly bytes: number;
  readonly flags: WindowFlags;
}

/** One device communicator, on all ranks. */
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
  /** Cancels the launch: what has not run yet never runs, and the stream's `synchronize` rejects. */
  readonly signal?: AbortSignal;
}

/** What `synchronize` learnt of the launches since the last one. */
export interface LaunchReport {
  readonly launches: number;
  /** Lines that kernels printed, in the order they came. */
  readonly printed: readonly string[];
}

export interface BackendWorld extends AsyncDisposable {
  readonly topology: Topology;
  /** The ranks whose memory and launches this process owns, ascending. */
  readonly localRanks: readonly number[];
  /** What the ranks can do together. Where it is left out: symmetric memory, multimem as the capabilities say, no GIN. */
  readonly support?: ResourceSupport;

  /** Zero-filled memory, aligned to 4096 bytes. Rejects with `NCCLTS_OUT_OF_MEMORY` where there is none. */
  alloc(rank: number, bytes: number): Promise<DeviceBuffer>;
  free(buffer: DeviceBuffer): Promise<void>;
  /** Copies host bytes into the buffer at byte `offset`. Not ordered against running kernels. */
  write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number): Promise<void>;
  read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number): Promise<void>;

  /** `buffers` has one entry per local rank, in the order of `localRanks`, all of one size. */
  registerWindow(buffers: readonly DeviceBuffer[], flags: WindowFlags): Promise<WindowHandle>;
  deregisterWindow(window: WindowHandle): Promise<void>;
  /**
   * The device address of byte `offset` of the window's copy at world rank `peer`, as rank `rank` would use it, or
   * `undefined` where `rank` cannot load and store there.
   */
  devicePointer(window: WindowHandle, rank: number, peer: number, offset: number): number | undefined;
  /** The multicast address of byte `offset` over the LSA team of `rank`; called only where `support` has multimem. */
  multimemPointer?(window: WindowHandle, rank: number, offset: number): number | undefined;

  /** Allocates the plan's resource buffer on every local rank, zero-filled. */
  createDevComm(plan: DevCommPlan): Promise<DevCommHandle>;
  destroyDevComm(devComm: DevCommHandle): Promise<void>;

  createStream(rank: number): Promise<StreamHandle>;
  destroyStream(stream: StreamHandle): Promise<void>;

  compile(module: ValidatedModule): Promise<Executable>;
  /** Enqueues and returns. `args` match the module's parameters one by one. */
  launch(executable: Executable, config: LaunchConfig, args: readonly KernelArg[]): void;
  /** Resolves when all that was enqueued before has ended; rejects with the first thing that went wrong since. */
  synchronize(stream: StreamHandle): Promise<LaunchReport>;

  /** Tells what a rank's host program does; a backend that can see a standstill needs it. */
  setHostState(rank: number, state: HostState): void;
  /** Ends everything that runs or waits: pending `synchronize` calls reject with an error whose cause is `reason`. */
  abort(reason: Error): void;
}
