import { at } from '@nccl-ts/core';
import type { DevCommPlan, ResourceSupport } from '@nccl-ts/devcomm';
import type { ValidatedModule } from '@nccl-ts/ir';
import type { Topology } from '@nccl-ts/topology';
import type {
  BufferPart,
  DevCommHandle,
  DeviceBuffer,
  Executable,
  ExposedMemory,
  HostState,
  KernelArg,
  LaunchConfig,
  LaunchReport,
  OpenWorldOptions,
  RankGroup,
  StreamHandle,
  WindowHandle,
} from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import { DeviceShare } from './engine/device-share.ts';
import { WebgpuLaunch } from './engine/launch.ts';
import { noCosts, type ExchangeCosts, type MemoryExchange } from './engine/memory-exchange.ts';
import { bindings } from './engine/pipelines.ts';
import { WebgpuRunner } from './engine/runner.ts';
import { WebgpuStream } from './engine/stream.ts';
import { aborted, closed, foreign } from './errors.ts';
import type { AcquiredDevice, AdapterInfo } from './gpu/acquired-device.ts';
import { WebgpuDevComm } from './memory/webgpu-dev-comm.ts';
import type { Replica } from './memory/replica.ts';
import type { WebgpuWorldMemory } from './memory/world-memory.ts';
import type { ResolvedWebgpuOptions } from './resolve-webgpu-options.ts';
import { WebgpuExecutable, type KernelTarget } from './webgpu-executable.ts';
import type { WebgpuWorld } from './webgpu-world.ts';

interface Parts {
  readonly memory: WebgpuWorldMemory;
  readonly shares: readonly DeviceShare[];
  readonly exchange: MemoryExchange | undefined;
}

/** The number of loop rounds for which a yielded slice counts. */
const ROUNDS_PER_TURN = 1024;

/** A world on one device, or on several with equal shares of consecutive ranks. */
export class DeviceWorld implements WebgpuWorld {
  readonly topology: Topology;
  readonly localRanks: readonly number[];
  readonly support: ResourceSupport = Object.freeze({ symmetric: true, multimem: false, gin: 'none' });
  readonly #device: AcquiredDevice;
  readonly #parts: Parts;
  readonly #runner: WebgpuRunner;
  /** By device. */
  readonly #targets: readonly KernelTarget[];
  readonly #executables: WebgpuExecutable[] = [];
  #closed = false;

  /**
   * Opens a world on the devices of `memory`.
   *
   * @param exchange present if ranks of different devices can access each other's memory
   * @throws NcclError `NCCLTS_OUT_OF_MEMORY`
   */
  static async create(
    memory: WebgpuWorldMemory,
    exchange: MemoryExchange | undefined,
    options: ResolvedWebgpuOptions & OpenWorldOptions,
  ): Promise<DeviceWorld> {
    const create = async (replica: Replica, number: number): Promise<DeviceShare> =>
      DeviceShare.create(number, replica);
    return new DeviceWorld(options, { memory, shares: await Promise.all(memory.replicas.map(create)), exchange });
  }

  private constructor(options: ResolvedWebgpuOptions & OpenWorldOptions, parts: Parts) {
    const { memory, shares, exchange } = parts;
    const { topology } = memory;
    this.topology = topology;
    this.localRanks = Object.freeze(Array.from({ length: topology.nRanks }, (_, rank) => rank));
    this.#device = at(memory.replicas, 0).device;
    this.#parts = parts;
    this.#runner = new WebgpuRunner({
      topology,
      memory,
      shares,
      exchange,
      yields: Math.ceil(options.fuel / ROUNDS_PER_TURN),
      onStall: options.onStall,
    });
    const { exact, checks, fuel } = options;
    this.#targets = shares.map(({ device: gpu }): KernelTarget => {
      const { limits } = gpu;
      return {
        device: gpu,
        options: {
          lsaSize: topology.lsaSize,
          maxWorkgroup: Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX),
          maxSharedBytes: limits.maxComputeWorkgroupStorageSize,
          exact,
          checks,
          fuel,
        },
      };
    });
    for (const { device: gpu } of shares) {
      gpu.onLost((error) => this.#runner.endAll(error));
      gpu.onUncaptured((error) => {
        if (gpu.owned) this.#runner.endAll(error);
      });
    }
  }

  get device(): GPUDevice {
    return this.#device.device;
  }

  get adapterInfo(): AdapterInfo {
    return this.#device.adapterInfo;
  }

  /** The first `nRanks / devices.length` ranks run on the first, and so on. */
  get devices(): readonly GPUDevice[] {
    return this.#parts.shares.map(({ device }) => device.device);
  }

  get software(): boolean {
    return this.#parts.shares.some(({ device }) => device.software);
  }

  get ranksPerDevice(): number {
    return Math.ceil(this.topology.nRanks / this.#parts.shares.length);
  }

  get gpuNanoseconds(): bigint | undefined {
    let sum = 0n;
    for (const { status } of this.#parts.shares) {
      if (status.nanoseconds === undefined) return undefined;
      sum += status.nanoseconds;
    }
    return sum;
  }

  /** The cost of exchanges between devices so far; zero if there are none. */
  get exchanged(): ExchangeCosts {
    return this.#parts.exchange?.costs ?? noCosts;
  }

  get executables(): readonly Executable[] {
    return [...this.#executables];
  }

  get dispatches(): number {
    return this.#runner.dispatches;
  }

  async alloc(rank: number, bytes: number): Promise<DeviceBuffer> {
    this.#checkOpen('alloc');
    return this.#parts.memory.allocate(rank, bytes);
  }

  async adopt(rank: number, buffer: GPUBuffer): Promise<DeviceBuffer> {
    this.#checkOpen('adopt');
    return this.#parts.memory.adopt(rank, buffer, bindings.segments);
  }

  async free(buffer: DeviceBuffer): Promise<void> {
    if (!this.#closed) this.#parts.memory.free(buffer);
  }

  async write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number): Promise<void> {
    this.#checkOpen('write');
    await this.#parts.memory.write(buffer, data, offset);
    this.#runner.memoryChanged();
  }

  async read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number): Promise<void> {
    this.#checkOpen('read');
    await this.#parts.memory.read(buffer, into, offset);
  }

  expose(buffer: DeviceBuffer, offset: number, bytes: number): ExposedMemory {
    this.#checkOpen('expose');
    return this.#parts.memory.expose(buffer, offset, bytes);
  }

  async createGroup(members: readonly number[]): Promise<RankGroup> {
    this.#checkOpen('createGroup');
    return this.#parts.memory.addGroup(members);
  }

  async registerWindow(
    parts: readonly BufferPart[],
    bytes: number,
    flags: WindowFlags,
    group?: RankGroup,
  ): Promise<WindowHandle> {
    this.#checkOpen('registerWindow');
    return this.#parts.memory.registerWindow(parts, bytes, flags, group);
  }

  async deregisterWindow(window: WindowHandle): Promise<void> {
    if (!this.#closed) this.#parts.memory.deregisterWindow(window);
  }

  devicePointer(window: WindowHandle, rank: number, peer: number, offset: number): number | undefined {
    this.#checkOpen('devicePointer');
    return this.#parts.memory.devicePointer(window, rank, peer, offset);
  }

  async createDevComm(
    plan: DevCommPlan,
    _teamRanks?: readonly (readonly number[])[],
    group?: RankGroup,
  ): Promise<DevCommHandle> {
    this.#checkOpen('createDevComm');
    return this.#parts.memory.createDevComm(plan, group);
  }

  async destroyDevComm(devComm: DevCommHandle): Promise<void> {
    if (!this.#closed) this.#parts.memory.destroyDevComm(devComm);
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
    const executable = new WebgpuExecutable(module);
    this.#executables.push(executable);
    return executable;
  }

  launch(executable: Executable, config: LaunchConfig, args: readonly KernelArg[]): void {
    this.#checkOpen('launch');
    if (!(executable instanceof WebgpuExecutable)) throw foreign('kernel');
    const { grid, block, signal, label } = config;
    const stream = streamOf(config.stream);
    if (!this.#runner.has(stream)) throw foreign('stream');
    const target = this.#targets[this.#parts.memory.deviceOf(stream.rank)];
    if (target === undefined) throw foreign('stream');
    const fields = this.#sharedFields(args);
    const launch = new WebgpuLaunch({
      id: this.#runner.nextId(),
      kernel: executable.module,
      label,
      stream,
      grid,
      block,
      args,
      code: async (segments) => executable.codeFor(target, block, fields, segments),
    });
    this.#runner.enqueue(launch, signal);
  }

  cancel(stream: StreamHandle, reason: Error): void {
    this.#checkOpen('cancel');
    this.#runner.cancel(streamOf(stream), aborted('The launch', reason));
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
    const { memory, shares, exchange } = this.#parts;
    memory.dispose();
    exchange?.dispose();
    for (const share of shares) {
      share.dispose();
      share.device.dispose();
    }
  }

  /**
   * The fields of device communicators that are the same on all ranks. The code has them as
   * constants. The device communicators of a launch belong to one group.
   */
  #sharedFields(args: readonly KernelArg[]): Readonly<Record<string, number>> {
    for (const arg of args) {
      if (arg.kind !== 'devComm' || !(arg.devComm instanceof WebgpuDevComm)) continue;
      const { nRanks, lsaSize } = arg.devComm.group.topology;
      return { nRanks, lsaSize };
    }
    return {};
  }

  #checkOpen(what: string): void {
    if (this.#closed) throw closed(what);
    for (const { device } of this.#parts.shares) device.check(what);
  }
}

function streamOf(stream: StreamHandle): WebgpuStream {
  if (stream instanceof WebgpuStream) return stream;
  throw foreign('stream');
}
