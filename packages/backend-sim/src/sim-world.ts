import { NcclError } from '@nccl-ts/core';
import type { ValidatedModule } from '@nccl-ts/ir';
import type { Timeline } from '@nccl-ts/timeline';
import type { Topology } from '@nccl-ts/topology';
import type {
  BackendWorld,
  BufferPart,
  DevCommHandle,
  DeviceBuffer,
  Executable,
  HostState,
  KernelArg,
  LaunchConfig,
  LaunchReport,
  OpenWorldOptions,
  StreamHandle,
  WindowHandle,
} from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import type { DevCommPlan, ResourceSupport } from '@nccl-ts/devcomm';
import { Runner } from './engine/runner.ts';
import { Stream } from './engine/stream.ts';
import { aborted, closed, foreign } from './errors.ts';
import { SimWindow } from './memory/sim-window.ts';
import { WorldMemory } from './memory/world-memory.ts';
import { randomScheduler } from './schedule/random-scheduler.ts';
import type { Scheduler } from './schedule/scheduler.ts';
import { SimDevComm } from './sim-dev-comm.ts';
import { SimExecutable, type Emit } from './sim-executable.ts';
import type { ResolvedSimOptions } from './sim-options.ts';

/**
 * A simulated world. Two that get the same seed and the same calls in the same order do the same, step by step.
 *
 * After a deadlock or a fault it can still be used; what kernels had done to memory until then stays, device
 * communicators included, so a barrier that was broken off stays out of step.
 */
export interface SimWorld extends BackendWorld {
  /** What has happened so far, in 32 bits: equal runs have equal hashes. */
  readonly eventHash: number;
  /** Turns that CTAs have had so far. */
  readonly turns: number;
  /**
   * What has happened so far in simulated time, as a frozen value; what has not ended is cut off and marked `unfinished`.
   *
   * @throws NcclError `NCCL_INVALID_USAGE` where the backend was made without `trace`.
   */
  timeline(): Timeline;
}

export type SimWorldOptions = Pick<
  ResolvedSimOptions,
  'residentCtas' | 'seed' | 'multimem' | 'symmetric' | 'memoryBytes' | 'fuel' | 'gin' | 'trace'
> &
  OpenWorldOptions & {
    /** Instead of the one of the seed. */
    readonly scheduler?: Scheduler;
  };

/** Opens a world whose kernels `emit` turns into programs. */
export function createSimWorld(topology: Topology, options: SimWorldOptions, emit: Emit): SimWorld {
  return new World(topology, options, emit);
}

class World implements SimWorld {
  readonly topology: Topology;
  readonly localRanks: readonly number[];
  readonly support: ResourceSupport;
  readonly #memory: WorldMemory;
  readonly #runner: Runner;
  readonly #emit: Emit;
  #closed = false;

  constructor(topology: Topology, options: SimWorldOptions, emit: Emit) {
    this.topology = topology;
    this.localRanks = Object.freeze(Array.from({ length: topology.nRanks }, (_, rank) => rank));
    this.#memory = new WorldMemory(topology, options.memoryBytes, options.multimem);
    this.#emit = emit;
    this.support = Object.freeze({
      symmetric: options.symmetric,
      multimem: options.multimem,
      gin: options.gin.connection,
    });
    this.#runner = new Runner({
      topology,
      residentCtas: options.residentCtas,
      fuel: options.fuel,
      scheduler: options.scheduler ?? randomScheduler(options.seed),
      delivery: options.gin.delivery,
      memory: this.#memory,
      trace: options.trace,
      onStall: options.onStall,
    });
  }

  get eventHash(): number {
    return this.#runner.engine.hash.value;
  }

  get turns(): number {
    return this.#runner.engine.turns;
  }

  timeline(): Timeline {
    const timeline = this.#runner.timeline();
    if (timeline !== undefined) return timeline;
    throw new NcclError('NCCL_INVALID_USAGE', 'This world keeps no time: make its backend with sim({ trace: true }).');
  }

  async alloc(rank: number, bytes: number): Promise<DeviceBuffer> {
    this.#checkOpen('alloc');
    return this.#memory.allocate(rank, bytes);
  }

  async free(buffer: DeviceBuffer): Promise<void> {
    if (!this.#closed) this.#memory.free(buffer);
  }

  async write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number): Promise<void> {
    this.#checkOpen('write');
    this.#memory.write(buffer, data, offset);
    this.#runner.memoryChanged();
  }

  async read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number): Promise<void> {
    this.#checkOpen('read');
    this.#runner.hostLooks(buffer.rank);
    this.#memory.read(buffer, into, offset);
  }

  async registerWindow(parts: readonly BufferPart[], bytes: number, flags: WindowFlags): Promise<WindowHandle> {
    this.#checkOpen('registerWindow');
    return this.#memory.addWindow(parts, bytes, flags);
  }

  async deregisterWindow(window: WindowHandle): Promise<void> {
    if (this.#closed) return;
    if (window instanceof SimWindow) this.#runner.forget(window);
    this.#memory.removeWindow(window);
  }

  devicePointer(window: WindowHandle, rank: number, peer: number, offset: number): number | undefined {
    this.#checkOpen('devicePointer');
    return this.#memory.devicePointer(window, rank, peer, offset);
  }

  multimemPointer(window: WindowHandle, rank: number, offset: number, base?: number): number | undefined {
    this.#checkOpen('multimemPointer');
    return this.#memory.multimemPointer(window, rank, offset, base);
  }

  async createDevComm(plan: DevCommPlan, teamRanks?: readonly (readonly number[])[]): Promise<DevCommHandle> {
    this.#checkOpen('createDevComm');
    return this.#memory.addDevComm(plan, teamRanks);
  }

  multimemBase(devComm: DevCommHandle, rank: number, team: number | 'lsa'): number {
    this.#checkOpen('multimemBase');
    return this.#memory.multimemBase(devComm, rank, team);
  }

  async destroyDevComm(devComm: DevCommHandle): Promise<void> {
    if (this.#closed) return;
    if (devComm instanceof SimDevComm) this.#runner.forget(devComm.state);
    this.#memory.removeDevComm(devComm);
  }

  async createStream(rank: number): Promise<StreamHandle> {
    this.#checkOpen('createStream');
    return this.#runner.createStream(rank);
  }

  async destroyStream(stream: StreamHandle): Promise<void> {
    if (!this.#closed) this.#runner.destroyStream(streamOf(stream));
  }

  async compile(module: ValidatedModule): Promise<Executable> {
    this.#checkOpen('compile');
    return new SimExecutable(module, this.#emit);
  }

  launch(executable: Executable, config: LaunchConfig, args: readonly KernelArg[]): void {
    this.#checkOpen('launch');
    if (!(executable instanceof SimExecutable)) throw foreign('kernel');
    this.#runner.launch(executable, config, args);
  }

  async synchronize(stream: StreamHandle): Promise<LaunchReport> {
    this.#checkOpen('synchronize');
    return streamOf(stream).synchronize();
  }

  setHostState(rank: number, state: HostState): void {
    if (!this.#closed) this.#runner.setHostState(rank, state);
  }

  abort(reason: Error): void {
    if (!this.#closed) this.#runner.endAll(aborted('The launch', reason));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#runner.endAll(closed('synchronize'));
    this.#runner.dispose();
    this.#memory.dispose();
  }

  #checkOpen(what: string): void {
    if (this.#closed) throw closed(what);
  }
}

function streamOf(stream: StreamHandle): Stream {
  if (stream instanceof Stream) return stream;
  throw foreign('stream');
}
