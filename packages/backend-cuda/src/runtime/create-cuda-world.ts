import { debugLog, NcclError } from '@nccl-ts/core';
import type { DevCommPlan, ResourceSupport } from '@nccl-ts/devcomm';
import type { ValidatedModule } from '@nccl-ts/ir';
import { placeOf, type Topology } from '@nccl-ts/topology';
import type {
  BufferPart,
  CompileOptions,
  CreateStreamOptions,
  DevCommHandle,
  DeviceBuffer,
  Executable,
  GraphHandle,
  HostState,
  KernelArg,
  LaunchConfig,
  LaunchReport,
  StreamHandle,
  WindowHandle,
} from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import type { CudaSource } from '../cuda-source.ts';
import { cuLaunchAttribute } from '../ffi/cu-constants.ts';
import { isSticky } from '../ffi/cuda-failure.ts';
import { domainMapWord } from '../ffi/launch-struct.ts';
import type { NcclLayout } from '../ffi/nccl-layout.ts';
import { NCCL_FLOAT32, NCCL_SUM } from '../ffi/nccl-signatures.ts';
import { AbortWords } from './abort-words.ts';
import type { CudaWorld, EventHandle, OpenTimes } from './cuda-world.ts';
import { CudaEvent } from './cuda-event.ts';
import { CudaExecutable } from './cuda-executable.ts';
import { Capture, CudaGraph, type GraphKernelAttributes } from './cuda-graph.ts';
import { CudaStream } from './cuda-stream.ts';
import { aborted, closed, foreign } from './errors.ts';
import { driverAttributes } from './launch-attributes.ts';
import { loadKernel, type EmitCuda, type LoadedKernel } from './load-kernel.ts';
import { exitWithoutWaiting } from './exit.ts';
import type { Platform } from './platform.ts';
import type { Poller } from './poller.ts';
import { capturePrinted } from './printed.ts';
import { cudaBuffer, cudaDevComm, cudaWindow, WorldMemory, type LocalRank } from './world-memory.ts';

export interface CudaWorldInit {
  readonly platform: Platform;
  readonly layout: NcclLayout;
  readonly topology: Topology;
  readonly ranks: readonly LocalRank[];
  readonly poller: Poller;
  readonly emit: EmitCuda;
  readonly abortable: boolean;
  readonly launchTimeout: number;
  readonly openTimes: OpenTimes;
}

/** How long closing waits for kernels that may never end. */
const closeMilliseconds = 5000;

export function createCudaWorld(init: CudaWorldInit): CudaWorld {
  return new World(init);
}

class World implements CudaWorld {
  readonly topology: Topology;
  readonly localRanks: readonly number[];
  readonly support: ResourceSupport = Object.freeze({ symmetric: true, multimem: false, gin: 'none' });
  readonly openTimes: OpenTimes;
  readonly #init: CudaWorldInit;
  readonly #memory: WorldMemory;
  readonly #abortWords: AbortWords;
  readonly #streams = new Set<CudaStream>();
  readonly #kernels = new Set<LoadedKernel>();
  readonly #graphs = new Set<CudaGraph>();
  readonly #events = new Set<CudaEvent>();
  readonly #captures = new Map<CudaStream, Capture>();
  /** Streams whose kernels print, since they were last flushed. */
  readonly #printing = new Set<CudaStream>();
  #closing: Promise<void> | undefined;
  /** What lost a context: nothing works any more. */
  #fault: NcclError | undefined;

  constructor(init: CudaWorldInit) {
    this.#init = init;
    this.openTimes = init.openTimes;
    this.topology = init.topology;
    this.localRanks = Object.freeze(init.ranks.map(({ rank }) => rank));
    this.#memory = new WorldMemory(init.platform.nccl, init.layout, init.ranks);
    this.#abortWords = new AbortWords(init.platform.driver);
  }

  async alloc(rank: number, bytes: number): Promise<DeviceBuffer> {
    this.#check('alloc');
    return this.#guarded(async () => this.#memory.alloc(rank, bytes));
  }

  async free(buffer: DeviceBuffer): Promise<void> {
    if (this.#isUsable) await this.#guarded(async () => this.#memory.free(cudaBuffer(buffer)));
  }

  async write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number): Promise<void> {
    this.#check('write');
    const { rank, address } = cudaBuffer(buffer);
    const { device } = this.#memory.at(rank);
    await this.#guarded(async () => device.upload(address + offset, bytesOf(data)));
  }

  async read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number): Promise<void> {
    this.#check('read');
    const { rank, address } = cudaBuffer(buffer);
    const { device } = this.#memory.at(rank);
    await this.#guarded(async () => device.download(address + offset, bytesOf(into)));
  }

  async registerWindow(parts: readonly BufferPart[], bytes: number, flags: WindowFlags): Promise<WindowHandle> {
    this.#check('registerWindow');
    return this.#guarded(async () => this.#memory.registerWindow(parts, bytes, flags));
  }

  async deregisterWindow(window: WindowHandle): Promise<void> {
    if (this.#isUsable) await this.#guarded(async () => this.#memory.deregisterWindow(cudaWindow(window)));
  }

  devicePointer(window: WindowHandle, rank: number, peer: number, offset: number): number | undefined {
    const { lsaSize } = this.topology;
    if (Math.floor(peer / lsaSize) !== Math.floor(rank / lsaSize)) return undefined;
    const { lsaFlatBase, stride } = cudaWindow(window).at(rank);
    return lsaFlatBase + placeOf(this.topology, peer).lsaRank * stride + offset;
  }

  async createDevComm(plan: DevCommPlan): Promise<DevCommHandle> {
    this.#check('createDevComm');
    return this.#guarded(async () => this.#memory.createDevComm(plan));
  }

  async destroyDevComm(devComm: DevCommHandle): Promise<void> {
    if (this.#isUsable) await this.#guarded(async () => this.#memory.destroyDevComm(cudaDevComm(devComm)));
  }

  memSyncDomainCount(rank: number): number {
    return this.#memory.at(rank).device.memSyncDomains;
  }

  async createStream(rank: number, options: CreateStreamOptions = {}): Promise<StreamHandle> {
    this.#check('createStream');
    const { device } = this.#memory.at(rank);
    device.makeCurrent();
    const abortWord = this.#abortWords.take();
    const stream = new CudaStream({
      device,
      poller: this.#init.poller,
      abortWord,
      timeout: this.#init.launchTimeout,
      onFault: (error) => this.#lost(error),
    });
    this.#streams.add(stream);
    const { memSyncDomainMap } = options;
    if (memSyncDomainMap !== undefined) {
      const value = new Uint32Array(16);
      value[0] = domainMapWord(memSyncDomainMap);
      device.driver.check('cuStreamSetAttribute', stream.handle, cuLaunchAttribute.memSyncDomainMap, value);
    }
    return stream;
  }

  async destroyStream(handle: StreamHandle): Promise<void> {
    const stream = streamOf(handle);
    if (!this.#isUsable || !this.#streams.delete(stream)) return;
    this.#printing.delete(stream);
    stream.destroy();
    this.#abortWords.giveBack(stream.abortWord);
  }

  async compile(module: ValidatedModule, options: CompileOptions = {}): Promise<Executable> {
    return this.#load(module, this.#init.emit, options.abortable ?? this.#init.abortable);
  }

  async compileSource(source: CudaSource, module: ValidatedModule): Promise<Executable> {
    return this.#load(module, () => source, source.params.at(-1)?.kind === 'abort');
  }

  async #load(module: ValidatedModule, emit: EmitCuda, abortable: boolean): Promise<Executable> {
    this.#check('compile');
    const { platform, layout, ranks } = this.#init;
    const devices = ranks.map(({ device }) => device);
    const loaded = await loadKernel(module, { platform, layout, devices, emit, abortable });
    if (!this.#isUsable) {
      loaded.unload();
      this.#check('compile');
    }
    this.#kernels.add(loaded);
    return loaded.executable;
  }

  launch(executable: Executable, config: LaunchConfig, args: readonly KernelArg[]): void {
    this.#check('launch');
    if (!(executable instanceof CudaExecutable)) throw foreign('kernel');
    const stream = streamOf(config.stream);
    // What stands behind a failure never runs, until a synchronisation has told of it.
    if (stream.failure !== undefined) return;
    const { grid, block, signal } = config;
    if (signal?.aborted === true) {
      stream.fail(aborted(`The launch of kernel '${executable.name}'`, signal.reason));
      return;
    }
    const attributes = driverAttributes(config.attributes);
    const { name, abortable } = executable;
    const slot = executable.slot(stream.rank);
    const capture = this.#captures.size === 0 ? undefined : this.#captures.get(stream);
    if (capture === undefined) stream.beforeLaunch();
    const launch = (): void => slot.launch({ grid, block, stream, attributes }, args);
    try {
      // A launch flushes what earlier kernels printed.
      if (this.#printing.size === 0) launch();
      else this.#printed(stream, launch);
    } catch (error) {
      throw this.#explained(error, name, stream);
    }
    if (executable.prints) this.#printing.add(stream);
    if (capture !== undefined) {
      capture.launches.push({ stream, name, abortable });
      return;
    }
    stream.launched(name, abortable);
    if (signal !== undefined) stream.watch(signal, `The launch of kernel '${name}'`);
  }

  async synchronize(handle: StreamHandle): Promise<LaunchReport> {
    this.#check('synchronize');
    const stream = streamOf(handle);
    return stream.synchronize(() => {
      if (!this.#printing.delete(stream)) return;
      const { driver } = stream.device;
      this.#printed(stream, () => {
        driver.check('cuStreamSynchronize', stream.handle);
        // In one of many runs a stream's end left its lines in the driver. The whole context's end takes them along, where
        // nothing else runs that it would wait for.
        const isAlone = [...this.#streams].every((other) => other.device !== stream.device || other.isIdle());
        if (!isAlone) return;
        stream.device.makeCurrent();
        driver.check('cuCtxSynchronize');
      });
    });
  }

  beginCapture(handles: readonly StreamHandle[]): void {
    this.#check('beginCapture');
    const streams = handles.map(streamOf);
    for (const stream of streams) stream.keepFollowing();
    const capture = new Capture(streams);
    for (const stream of streams) this.#captures.set(stream, capture);
  }

  endCapture(handles: readonly StreamHandle[]): GraphHandle {
    const [first] = handles;
    const capture = first === undefined ? undefined : this.#captures.get(streamOf(first));
    if (capture === undefined)
      throw new NcclError('NCCL_INVALID_USAGE', 'endCapture: nothing is recorded on the stream.');
    for (const stream of capture.streams) this.#captures.delete(stream);
    const graph = capture.end();
    this.#graphs.add(graph);
    return graph;
  }

  launchGraph(handle: GraphHandle): void {
    this.#check('launchGraph');
    const graph = graphOf(handle);
    if (graph.streams.some(({ failure }) => failure !== undefined)) return;
    graph.launch();
  }

  async destroyGraph(handle: GraphHandle): Promise<void> {
    const graph = graphOf(handle);
    if (this.#isUsable && this.#graphs.delete(graph)) graph.destroy();
  }

  setHostState(_rank: number, _state: HostState): void {
    // A GPU does not say whether a kernel that spins can still move.
  }

  abort(reason: Error): void {
    if (!this.#isUsable) return;
    const error = aborted('The launch', reason);
    for (const stream of this.#streams) stream.cancel(error);
  }

  graphKernelAttributes(graph: GraphHandle): readonly GraphKernelAttributes[] {
    return graphOf(graph).kernelAttributes();
  }

  ncclAllReduce(buffers: readonly DeviceBuffer[], count: number, streams: readonly StreamHandle[]): void {
    this.#check('ncclAllReduce');
    const { nccl } = this.#init.platform;
    nccl.group(() => {
      for (const [i, { device, comm }] of this.#init.ranks.entries()) {
        const [buffer, stream] = [buffers[i], streams[i]];
        if (buffer === undefined || stream === undefined) throw new RangeError('Every rank takes part.');
        const { address } = cudaBuffer(buffer);
        const on = streamOf(stream);
        const capture = this.#captures.get(on);
        if (capture === undefined) on.beforeLaunch();
        device.makeCurrent();
        nccl.check('ncclAllReduce', address, address, count, NCCL_FLOAT32, NCCL_SUM, comm, on.handle);
        if (capture === undefined) on.launched('ncclAllReduce', false);
        else capture.launches.push({ stream: on, name: 'ncclAllReduce', abortable: false });
      }
    });
  }

  createEvent(rank: number): EventHandle {
    this.#check('createEvent');
    const event = new CudaEvent(this.#memory.at(rank).device);
    this.#events.add(event);
    return event;
  }

  destroyEvent(handle: EventHandle): void {
    const event = eventOf(handle);
    if (this.#isUsable && this.#events.delete(event)) event.destroy();
  }

  recordEvent(handle: EventHandle, stream: StreamHandle): void {
    this.#check('recordEvent');
    eventOf(handle).record(streamOf(stream));
  }

  elapsedMilliseconds(start: EventHandle, end: EventHandle): number {
    return eventOf(end).since(eventOf(start));
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
    return streamOf(stream).handle;
  }

  nativeComm(rank: number): number {
    return this.#memory.at(rank).comm;
  }

  nativeGraph(graph: GraphHandle): number {
    return graphOf(graph).graph;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    for (const stream of this.#streams) stream.cancel(closed('The launch'));
    if (this.#fault !== undefined) {
      debugLog('cuda', () => 'the context of a GPU is lost: what the world held stays with the process');
      this.#init.poller.rejectAll(closed('synchronize'));
      return;
    }
    await this.#settle();
    const running = [...this.#streams].filter((stream) => !stream.isIdle());
    this.#init.poller.rejectAll(closed('synchronize'));
    if (running.length > 0) {
      exitWithoutWaiting(this.#init.platform.driver.koffi);
      throw new NcclError(
        'NCCLTS_ABORTED',
        `The world was closed, but ${running.map((stream) => stream.kernelsText()).join(' and ')} did not end within ` +
          `${closeMilliseconds} ms. Their memory stays with the process until its end. ` +
          'Launches made with abortable: true end when the world is closed.',
      );
    }
    this.#giveBack();
  }

  /** Waits for kernels to end. */
  async #settle(): Promise<void> {
    const until = performance.now() + closeMilliseconds;
    await this.#init.poller
      .wait({ poll: () => performance.now() > until || [...this.#streams].every((stream) => stream.isIdle()) })
      .catch((error: unknown) => debugLog('cuda', () => `while closing: ${String(error)}`));
  }

  #giveBack(): void {
    const { platform, ranks } = this.#init;
    for (const event of this.#events) event.destroy();
    for (const graph of this.#graphs) graph.destroy();
    for (const kernel of this.#kernels) kernel.unload();
    for (const stream of this.#streams) stream.destroy();
    this.#memory.dispose();
    for (const { device, comm } of ranks) {
      device.makeCurrent();
      platform.nccl.check('ncclCommDestroy', comm);
    }
    ranks[0]?.device.makeCurrent();
    this.#abortWords.dispose();
    for (const { device } of ranks) device.dispose();
  }

  get #isUsable(): boolean {
    return this.#closing === undefined && this.#fault === undefined;
  }

  #check(what: string): void {
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#closing !== undefined) throw closed(what);
  }

  #printed(stream: CudaStream, flush: () => void): void {
    // What other GPUs printed may come out too.
    for (const line of capturePrinted(stream.device.driver.koffi, flush)) {
      const rank = /^\[rank (?<rank>\d+) cta /.exec(line)?.groups?.['rank'];
      const isOwn = rank === undefined || Number(rank) === stream.rank;
      const printer = isOwn ? stream : this.#printerOf(Number(rank));
      (printer ?? stream).print(line);
    }
  }

  /** A stream of the rank whose kernels print. */
  #printerOf(rank: number): CudaStream | undefined {
    return [...this.#printing, ...this.#streams].find((stream) => stream.rank === rank);
  }

  /** A context was lost; everything that is asked from now on gets this error. */
  #lost(error: NcclError): NcclError {
    if (!isSticky(error)) return error;
    this.#fault ??= error;
    return this.#fault;
  }

  async #guarded<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof NcclError) throw this.#lost(error);
      throw error;
    }
  }

  #explained(error: unknown, kernel: string, stream: CudaStream): unknown {
    if (!(error instanceof NcclError)) return error;
    const where = `Launch of kernel '${kernel}' on rank ${stream.rank} (GPU ${stream.device.ordinal})`;
    const { code, message, details } = error;
    return this.#lost(new NcclError(code, `${where}: ${message}`, { cause: error, details: { ...details, kernel } }));
  }
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function streamOf(stream: StreamHandle): CudaStream {
  if (stream instanceof CudaStream) return stream;
  throw foreign('stream');
}

function graphOf(graph: GraphHandle): CudaGraph {
  if (graph instanceof CudaGraph) return graph;
  throw foreign('graph');
}

function eventOf(event: EventHandle): CudaEvent {
  if (event instanceof CudaEvent) return event;
  throw foreign('event');
}
