import { debugLog, NcclError } from '@nccl-ts/core';
import type { DevCommPlan, ResourceSupport } from '@nccl-ts/devcomm';
import type { ValidatedModule } from '@nccl-ts/ir';
import type { Topology } from '@nccl-ts/topology';
import type {
  BufferPart,
  CompileOptions,
  CreateStreamOptions,
  DevCommHandle,
  DeviceBuffer,
  DeviceTensor,
  Executable,
  GraphHandle,
  HostState,
  KernelArg,
  LaunchConfig,
  LaunchReport,
  RankGroup,
  StreamHandle,
  WindowHandle,
} from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import type { CudaSource } from '../cuda-source.ts';
import type { NcclLayout } from '../ffi/nccl-layout.ts';
import { destroyCommunicators } from './communicators.ts';
import { CudaEvent } from './cuda-event.ts';
import type { GraphKernelAttributes } from './cuda-graph.ts';
import type { CudaWorld, EventHandle, OpenTimes } from './cuda-world.ts';
import { aborted, closed } from './errors.ts';
import { exitWithoutWaiting } from './exit.ts';
import { cudaBuffer, cudaDevComm, cudaEvent, cudaGraph, cudaGroup, cudaStream, cudaWindow } from './handles.ts';
import { loadKernel, type EmitCuda, type LoadedKernel } from './load-kernel.ts';
import type { NcclCollectiveCall } from './nccl-collective.ts';
import type { Platform } from './platform.ts';
import type { Poller } from './poller.ts';
import { WorldHealth } from './world-health.ts';
import { WorldLaunches } from './world-launches.ts';
import { CudaWorldMemory } from './world-memory.ts';
import type { LocalRank } from './local-rank.ts';

export interface CudaWorldInit {
  readonly platform: Platform;
  readonly layout: NcclLayout;
  readonly topology: Topology;
  readonly support: ResourceSupport;
  readonly ranks: readonly LocalRank[];
  readonly nvlink: boolean;
  readonly poller: Poller;
  readonly emit: EmitCuda;
  readonly abortable: boolean;
  readonly launchTimeout: number;
  readonly printBytes: number;
  readonly openTimes: OpenTimes;
}

/** The time limit in milliseconds for closing, since some kernels may never end. */
const closeMilliseconds = 5000;

export function createCudaWorld(init: CudaWorldInit): CudaWorld {
  return new NcclWorld(init);
}

class NcclWorld implements CudaWorld {
  readonly topology: Topology;
  readonly localRanks: readonly number[];
  readonly support: ResourceSupport;
  readonly ranksPerDevice: number;
  readonly nvlink: boolean;
  readonly openTimes: OpenTimes;
  readonly #init: CudaWorldInit;
  readonly #health = new WorldHealth();
  readonly #memory: CudaWorldMemory;
  readonly #launches: WorldLaunches;
  readonly #kernels = new Set<LoadedKernel>();
  readonly #events = new Set<CudaEvent>();
  #closing: Promise<void> | undefined;

  constructor(init: CudaWorldInit) {
    this.#init = init;
    this.openTimes = init.openTimes;
    this.topology = init.topology;
    this.ranksPerDevice = init.ranks[0]?.device.sharing ?? 1;
    this.nvlink = init.nvlink;
    this.localRanks = Object.freeze(init.ranks.map(({ rank }) => rank));
    const { platform, poller, launchTimeout } = init;
    this.support = init.support;
    this.#memory = new CudaWorldMemory(platform.nccl, init.layout, init.topology, init.ranks);
    this.#launches = new WorldLaunches({
      driver: platform.driver,
      poller,
      health: this.#health,
      timeout: launchTimeout,
    });
  }

  async alloc(rank: number, bytes: number): Promise<DeviceBuffer> {
    this.#health.check('alloc');
    return this.#health.guarded(async () => this.#memory.alloc(rank, bytes));
  }

  async adopt(rank: number, foreign: object): Promise<DeviceBuffer> {
    this.#health.check('adopt');
    return this.#health.guarded(async () => this.#memory.adopt(rank, foreign));
  }

  expose(buffer: DeviceBuffer, offset: number, bytes: number): DeviceTensor {
    this.#health.check('expose');
    return this.#memory.expose(cudaBuffer(buffer), offset, bytes);
  }

  async free(buffer: DeviceBuffer): Promise<void> {
    if (this.#canGiveBack) await this.#health.guarded(async () => this.#memory.free(cudaBuffer(buffer)));
  }

  async write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number): Promise<void> {
    this.#health.check('write');
    const { rank, address } = cudaBuffer(buffer);
    const { device } = this.#memory.at(rank);
    await this.#health.guarded(async () => device.upload(address + offset, bytesOf(data)));
  }

  async read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number): Promise<void> {
    this.#health.check('read');
    const { rank, address } = cudaBuffer(buffer);
    const { device } = this.#memory.at(rank);
    await this.#health.guarded(async () => device.download(address + offset, bytesOf(into)));
  }

  async createGroup(members: readonly number[]): Promise<RankGroup> {
    this.#health.check('createGroup');
    return this.#health.guarded(async () => this.#memory.addGroup(members));
  }

  async destroyGroup(group: RankGroup): Promise<void> {
    if (this.#canGiveBack) await this.#health.guarded(async () => this.#memory.removeGroup(cudaGroup(group)));
  }

  async registerWindow(
    parts: readonly BufferPart[],
    bytes: number,
    flags: WindowFlags,
    group?: RankGroup,
  ): Promise<WindowHandle> {
    this.#health.check('registerWindow');
    return this.#health.guarded(async () => this.#memory.registerWindow(parts, bytes, flags, group));
  }

  async deregisterWindow(window: WindowHandle): Promise<void> {
    if (this.#canGiveBack) await this.#health.guarded(async () => this.#memory.deregisterWindow(cudaWindow(window)));
  }

  devicePointer(window: WindowHandle, rank: number, peer: number, offset: number): number | undefined {
    return cudaWindow(window).addressAt(rank, peer, offset);
  }

  async createDevComm(
    plan: DevCommPlan,
    teamRanks?: readonly (readonly number[])[],
    group?: RankGroup,
  ): Promise<DevCommHandle> {
    this.#health.check('createDevComm');
    return this.#health.guarded(async () => this.#memory.createDevComm(plan, teamRanks, group));
  }

  async destroyDevComm(devComm: DevCommHandle): Promise<void> {
    if (this.#canGiveBack) await this.#health.guarded(async () => this.#memory.destroyDevComm(cudaDevComm(devComm)));
  }

  memSyncDomainCount(rank: number): number {
    return this.#memory.at(rank).device.memSyncDomains;
  }

  async createStream(rank: number, options: CreateStreamOptions = {}): Promise<StreamHandle> {
    this.#health.check('createStream');
    return this.#launches.createStream(this.#memory.at(rank).device, options);
  }

  async destroyStream(stream: StreamHandle): Promise<void> {
    if (this.#health.isUsable) this.#launches.destroyStream(cudaStream(stream));
  }

  async compile(module: ValidatedModule, options: CompileOptions = {}): Promise<Executable> {
    return this.#load(module, this.#init.emit, options.abortable ?? this.#init.abortable);
  }

  async compileSource(source: CudaSource, module: ValidatedModule): Promise<Executable> {
    return this.#load(module, () => source, false);
  }

  async #load(module: ValidatedModule, emit: EmitCuda, abortable: boolean): Promise<Executable> {
    this.#health.check('compile');
    const { platform, layout, ranks, printBytes } = this.#init;
    const devices = ranks.map(({ device }) => device);
    const loaded = await loadKernel(module, { platform, layout, devices, emit, abortable, printBytes });
    if (!this.#health.isUsable) {
      loaded.unload();
      this.#health.check('compile');
    }
    this.#kernels.add(loaded);
    return loaded.executable;
  }

  launch(executable: Executable, config: LaunchConfig, args: readonly KernelArg[]): void {
    this.#health.check('launch');
    this.#launches.launch(executable, config, args);
  }

  async synchronize(stream: StreamHandle): Promise<LaunchReport> {
    this.#health.check('synchronize');
    return this.#launches.synchronize(cudaStream(stream));
  }

  beginCapture(streams: readonly StreamHandle[]): void {
    this.#health.check('beginCapture');
    this.#launches.beginCapture(streams);
  }

  endCapture(streams: readonly StreamHandle[]): GraphHandle {
    return this.#launches.endCapture(streams);
  }

  launchGraph(graph: GraphHandle): void {
    this.#health.check('launchGraph');
    this.#launches.launchGraph(graph);
  }

  async destroyGraph(graph: GraphHandle): Promise<void> {
    if (this.#health.isUsable) this.#launches.destroyGraph(cudaGraph(graph));
  }

  setHostState(_rank: number, _state: HostState): void {
    // A GPU does not report if a spinning kernel can still make progress.
  }

  abort(reason: Error): void {
    if (this.#health.isUsable) this.#launches.cancel(aborted('The launch', reason));
  }

  graphKernelAttributes(graph: GraphHandle): readonly GraphKernelAttributes[] {
    return cudaGraph(graph).kernelAttributes();
  }

  ncclCollective(call: NcclCollectiveCall): void {
    this.#health.check(`ncclCollective ${call.collective}`);
    const { platform, ranks } = this.#init;
    this.#launches.ncclCollective(platform.nccl, ranks, call);
  }

  createEvent(rank: number): EventHandle {
    this.#health.check('createEvent');
    const event = new CudaEvent(this.#memory.at(rank).device);
    this.#events.add(event);
    return event;
  }

  destroyEvent(handle: EventHandle): void {
    const event = cudaEvent(handle);
    if (this.#health.isUsable && this.#events.delete(event)) event.destroy();
  }

  recordEvent(event: EventHandle, stream: StreamHandle): void {
    this.#health.check('recordEvent');
    cudaEvent(event).record(cudaStream(stream));
  }

  elapsedMilliseconds(start: EventHandle, end: EventHandle): number {
    return cudaEvent(end).since(cudaEvent(start));
  }

  deviceMemory(rank: number): { readonly free: number; readonly total: number } {
    const { device } = this.#memory.at(rank);
    device.makeCurrent();
    return device.driver.memory();
  }

  deviceOf(rank: number): number {
    return this.#memory.at(rank).device.ordinal;
  }

  nativeStream(stream: StreamHandle): number {
    if (!this.#health.isUsable) return cudaStream(stream).handle;
    return cudaStream(stream).lend();
  }

  nativeComm(rank: number): number {
    return this.#memory.at(rank).comm;
  }

  memoryAddress(rank: number, address: number): number {
    return this.#memory.memoryAddress(rank, address);
  }

  nativeGraph(graph: GraphHandle): number {
    return cudaGraph(graph).graph;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  /** Resources that an abandoned kernel may still use stay allocated until the world is closed. */
  get #canGiveBack(): boolean {
    return this.#health.isUsable && !this.#launches.hasAbandoned;
  }

  async #close(): Promise<void> {
    this.#health.close();
    const { platform, poller } = this.#init;
    this.#launches.cancel(closed('The launch'));
    if (this.#health.fault !== undefined) {
      debugLog('cuda', () => "the context of a GPU is lost: the process keeps the world's resources");
      poller.rejectAll(closed('synchronize'));
      return;
    }
    const running = await this.#launches.settle(closeMilliseconds);
    poller.rejectAll(closed('synchronize'));
    if (running.length > 0) {
      exitWithoutWaiting(platform.driver.koffi);
      throw new NcclError(
        'NCCLTS_ABORTED',
        `The world was closed, but ${running.map((stream) => stream.kernelsText()).join(' and ')} did not end within ` +
          `${closeMilliseconds} ms. The process keeps their memory until its end. ` +
          'Launches made with abortable: true end when the world is closed.',
      );
    }
    this.#giveBack();
  }

  #giveBack(): void {
    const { platform, ranks } = this.#init;
    for (const event of this.#events) event.destroy();
    ranks[0]?.device.makeCurrent();
    this.#launches.dispose();
    for (const kernel of this.#kernels) kernel.unload();
    this.#memory.dispose();
    destroyCommunicators(platform.nccl, ranks);
    for (const { device } of ranks) device.dispose();
  }
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}
