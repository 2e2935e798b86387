import type { DevCommPlan, ResourceSupport } from '@nccl-ts/devcomm';
import type { ValidatedModule } from '@nccl-ts/ir';
import { createTopology, type Topology } from '@nccl-ts/topology';
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
  RankGroup,
  StreamHandle,
  WindowHandle,
} from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import type { MemoryBackendOptions } from './memory-backend.ts';
import { StallWatch } from './stall-watch.ts';

export interface RecordedLaunch {
  readonly name: string;
  readonly config: LaunchConfig;
  readonly args: readonly KernelArg[];
}

interface MemoryBuffer extends DeviceBuffer {
  readonly data: Uint8Array<ArrayBuffer>;
}

class MemoryStream implements StreamHandle {
  readonly rank: number;
  /** The number of launches that have not ended. */
  pending = 0;
  ended = 0;
  readonly printed: string[] = [];
  failure: Error | undefined;
  readonly waiters: (() => void)[] = [];

  constructor(rank: number) {
    this.rank = rank;
  }
}

/** The world that `memoryBackend` opens. It can count everything that was created and not freed. */
export class MemoryWorld implements BackendWorld {
  readonly topology: Topology;
  readonly localRanks: readonly number[];
  declare readonly support?: ResourceSupport;
  declare readonly software?: boolean;
  declare adopt?: NonNullable<BackendWorld['adopt']>;
  declare expose?: NonNullable<BackendWorld['expose']>;
  declare createGroup?: NonNullable<BackendWorld['createGroup']>;
  declare cancel?: NonNullable<BackendWorld['cancel']>;
  readonly launches: RecordedLaunch[] = [];
  readonly hostStates: HostState[];
  readonly stateChanges: string[] = [];
  readonly live = { buffers: 0, windows: 0, devComms: 0, streams: 0, groups: 0 };
  readonly calls = new Map<string, number>();
  readonly order: string[] = [];
  abortedWith: Error | undefined;
  isDisposed = false;
  readonly #options: MemoryBackendOptions;
  readonly #streams = new Set<MemoryStream>();
  readonly #watch: StallWatch;
  readonly #windows = new Map<WindowHandle, readonly DeviceBuffer[]>();

  constructor(topology: Topology, options: MemoryBackendOptions, onStall: OpenWorldOptions['onStall']) {
    this.topology = topology;
    this.localRanks = options.localRanks ?? Array.from({ length: topology.nRanks }, (_, rank) => rank);
    this.hostStates = Array.from({ length: topology.nRanks }, () => 'running' as const);
    this.#options = options;
    this.#watch = new StallWatch(() => {
      const error = options.stallError?.();
      if (error !== undefined) for (const stream of this.#streams) this.#fail(stream, error);
      onStall(error);
    });
    if (options.software !== undefined) this.software = options.software;
    if (options.support !== undefined) this.support = options.support;
    if (options.adopts === true) this.adopt = async (rank, foreign) => this.#adopt(rank, foreign);
    if (options.exposes === true) {
      this.expose = ({ rank }, offset, bytes) => {
        this.order.push(`expose ${rank} ${offset} ${bytes}`);
        return { kind: 'bytes', bytes: new Uint8Array(bytes).fill(rank) };
      };
    }
    if (options.groups === true) this.createGroup = async (members) => this.#createGroup(members);
    if (options.cancels === true) {
      this.cancel = (stream, reason) => this.#fail(this.#streamOf(stream), new Error('cancelled', { cause: reason }));
    }
  }

  async alloc(rank: number, bytes: number): Promise<DeviceBuffer> {
    await this.#enter('alloc');
    this.live.buffers++;
    const buffer: MemoryBuffer = { rank, bytes, data: new Uint8Array(bytes) };
    return buffer;
  }

  async #adopt(rank: number, foreign: object): Promise<DeviceBuffer> {
    await this.#enter('adopt');
    if (!(foreign instanceof Uint8Array) || !(foreign.buffer instanceof ArrayBuffer)) throw new TypeError('not bytes');
    this.live.buffers++;
    const data = new Uint8Array(foreign.buffer, foreign.byteOffset, foreign.byteLength);
    const buffer: MemoryBuffer = { rank, bytes: data.length, data };
    return buffer;
  }

  async free(): Promise<void> {
    await this.#enter('free');
    this.live.buffers--;
  }

  async write(buffer: MemoryBuffer, data: ArrayBufferView, offset: number): Promise<void> {
    await this.#enter('write');
    buffer.data.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
  }

  async read(buffer: MemoryBuffer, into: ArrayBufferView, offset: number): Promise<void> {
    await this.#enter('read');
    new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(
      buffer.data.subarray(offset, offset + into.byteLength),
    );
  }

  async #createGroup(members: readonly number[]): Promise<RankGroup> {
    await this.#enter('createGroup');
    this.live.groups++;
    return { members, topology: createTopology({ ranks: members.length }) };
  }

  async destroyGroup(): Promise<void> {
    await this.#enter('destroyGroup');
    this.live.groups--;
  }

  async registerWindow(parts: readonly BufferPart[], bytes: number, flags: WindowFlags): Promise<WindowHandle> {
    await this.#enter('registerWindow');
    this.live.windows++;
    const window: WindowHandle = { bytes, flags };
    this.#windows.set(
      window,
      parts.map(({ buffer }) => buffer),
    );
    return window;
  }

  async deregisterWindow(window: WindowHandle): Promise<void> {
    await this.#enter('deregisterWindow');
    this.#windows.delete(window);
    this.live.windows--;
  }

  devicePointer(_window: WindowHandle, rank: number, peer: number, offset: number): number | undefined {
    const { lsaSize } = this.topology;
    return Math.floor(rank / lsaSize) === Math.floor(peer / lsaSize) ? 0x1000000 * (peer + 1) + offset : undefined;
  }

  multimemPointer(_window: WindowHandle, _rank: number, offset: number, base = 0x7000000): number {
    return base + offset;
  }

  async createDevComm(plan: DevCommPlan): Promise<DevCommHandle> {
    await this.#enter('createDevComm');
    this.live.devComms++;
    return { plan };
  }

  async destroyDevComm(): Promise<void> {
    await this.#enter('destroyDevComm');
    this.live.devComms--;
  }

  async createStream(rank: number): Promise<StreamHandle> {
    await this.#enter('createStream');
    this.live.streams++;
    const stream = new MemoryStream(rank);
    this.#streams.add(stream);
    return stream;
  }

  async destroyStream(stream: MemoryStream): Promise<void> {
    await this.#enter('destroyStream');
    this.live.streams--;
    this.#streams.delete(stream);
  }

  async compile(module: ValidatedModule): Promise<Executable> {
    await this.#enter('compile');
    return { name: module.name, artifacts: [] };
  }

  launch(executable: Executable, config: LaunchConfig, args: readonly KernelArg[]): void {
    this.launches.push({ name: executable.name, config, args });
    const stream = this.#streamOf(config.stream);
    stream.pending++;
    if (this.#options.held !== true) this.#end(stream, 1);
  }

  /** Ends the work on the streams of `rank`, successfully or with an error. */
  finish(rank: number, outcome: { readonly printed?: readonly string[]; readonly error?: Error } = {}): void {
    for (const stream of this.#streams) {
      if (stream.rank !== rank || stream.pending === 0) continue;
      stream.printed.push(...(outcome.printed ?? []));
      if (outcome.error === undefined) this.#end(stream, stream.pending);
      else this.#fail(stream, outcome.error);
    }
  }

  async synchronize(handle: StreamHandle): Promise<LaunchReport> {
    this.#count('synchronize');
    const stream = this.#streamOf(handle);
    while (stream.pending > 0) await new Promise<void>((resolve) => stream.waiters.push(resolve));
    const { failure } = stream;
    stream.failure = undefined;
    if (failure !== undefined) throw failure;
    return { launches: stream.ended - (stream.ended = 0), printed: stream.printed.splice(0) };
  }

  setHostState(rank: number, state: HostState): void {
    this.hostStates[rank] = state;
    this.stateChanges.push(`${rank} ${state}`);
    this.#watch.look(this.hostStates);
  }

  abort(reason: Error): void {
    this.abortedWith = reason;
    const error = new Error(`aborted: ${reason.message}`, { cause: reason });
    for (const stream of this.#streams) this.#fail(stream, error);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
    this.#watch.stop();
  }

  #streamOf(handle: StreamHandle): MemoryStream {
    if (!(handle instanceof MemoryStream)) throw new Error('The stream is not of this backend.');
    return handle;
  }

  #end(stream: MemoryStream, launches: number): void {
    stream.pending -= launches;
    stream.ended += launches;
    for (const wake of stream.waiters.splice(0)) wake();
  }

  #fail(stream: MemoryStream, error: Error): void {
    if (stream.pending === 0) return;
    stream.failure ??= error;
    this.#end(stream, stream.pending);
  }

  async #enter(method: string): Promise<void> {
    this.order.push(method);
    const call = this.#count(method);
    const failure = this.#options.fail?.(method, call);
    // Like a backend that has to wait for a device.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (failure !== undefined) throw failure;
  }

  #count(method: string): number {
    const count = (this.calls.get(method) ?? 0) + 1;
    this.calls.set(method, count);
    return count;
  }
}
