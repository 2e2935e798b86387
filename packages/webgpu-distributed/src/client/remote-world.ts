import { closed, foreign, noCosts, type AcquiredDevice, type ExchangeCosts } from '@nccl-ts/backend-webgpu/devices';
import { createMacrotaskQueue, NcclError } from '@nccl-ts/core';
import type { DevCommPlan, ResourceSupport } from '@nccl-ts/devcomm';
import type { Module, ValidatedModule } from '@nccl-ts/ir';
import type { Topology } from '@nccl-ts/topology';
import type {
  BufferPart,
  DevCommHandle,
  DeviceBuffer,
  Executable,
  HostState,
  KernelArg,
  LaunchConfig,
  LaunchReport,
  StreamHandle,
  WindowHandle,
} from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import type { DistributedWebgpuWorld } from '../world/distributed-world.ts';
import type { RankEnd } from '../messages/connection.ts';
import { deserializeError, serializeError } from '../messages/serialized-error.ts';
import type { SentArg, ToRank, WorldCall, WorldResult } from '../messages/world-messages.ts';
import { RemoteBuffer, RemoteDevComm, RemoteExecutable, RemoteStream, RemoteWindow } from './remote-handles.ts';

export interface RemoteWorldInit {
  readonly rank: number;
  readonly topology: Topology;
  /** The device of this worker or tab. */
  readonly device: AcquiredDevice;
  /** The connection to the world. */
  readonly end: RankEnd;
  readonly onStall: (error: Error | undefined) => void;
  /** Called with each kernel before it is sent. */
  readonly onCompile: (module: Module) => void;
  /** Called when the world is closed. */
  readonly onClosed: () => Promise<void>;
}

type ResultOf<K extends WorldResult['of']> = Extract<WorldResult, { readonly of: K }>;

interface PendingCall {
  resolve(result: WorldResult): void;
  reject(error: Error): void;
}

/**
 * A world with one rank here, which runs in rank 0's worker or tab. Properties of the whole world
 * have their values at the last `synchronize`.
 */
export class RemoteWorld implements DistributedWebgpuWorld {
  readonly topology: Topology;
  readonly localRanks: readonly number[];
  readonly support: ResourceSupport = Object.freeze({ symmetric: true, multimem: false, gin: 'none' });
  readonly #init: RemoteWorldInit;
  readonly #pending = new Map<number, PendingCall>();
  readonly #signals = new Map<AbortSignal, number>();
  readonly #executables: RemoteExecutable[] = [];
  readonly #queue = createMacrotaskQueue();
  #next = 0;
  #results = 0;
  #dispatches = 0;
  #gpuNanoseconds: bigint | undefined;
  #exchanged = noCosts;
  #failure: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(init: RemoteWorldInit) {
    this.topology = init.topology;
    this.localRanks = Object.freeze([init.rank]);
    this.#init = init;
  }

  get device(): GPUDevice {
    return this.#init.device.device;
  }

  get devices(): readonly GPUDevice[] {
    return [this.device];
  }

  get adapterInfo(): DistributedWebgpuWorld['adapterInfo'] {
    return this.#init.device.adapterInfo;
  }

  get software(): boolean {
    return this.#init.device.software;
  }

  /** It is not known which workers or tabs share a GPU. */
  get ranksPerDevice(): number {
    return this.topology.nRanks;
  }

  get executables(): readonly Executable[] {
    return [...this.#executables];
  }

  get dispatches(): number {
    return this.#dispatches;
  }

  get gpuNanoseconds(): bigint | undefined {
    return this.#gpuNanoseconds;
  }

  get exchanged(): ExchangeCosts {
    return this.#exchanged;
  }

  /** Called with a message of the world. */
  receive(message: ToRank): void {
    switch (message.kind) {
      case 'result':
        this.#take(message.to)?.resolve(message.result);
        this.#received();
        return;
      case 'error':
        this.#take(message.to)?.reject(deserializeError(message.error));
        this.#received();
        return;
      case 'stall':
        this.#init.onStall(message.error === undefined ? undefined : deserializeError(message.error));
        return;
      case 'ended':
        this.lose(deserializeError(message.error));
        return;
      case 'open':
      case 'joined':
      case 'refused':
      case 'gpu':
        return;
    }
  }

  /** Called when the worker or tab that runs the world has ended. */
  lose(error: Error): void {
    this.#failure ??= error;
    for (const pending of this.#pending.values()) pending.reject(this.#failure);
    this.#pending.clear();
  }

  async alloc(rank: number, bytes: number): Promise<DeviceBuffer> {
    const { number } = await this.#callFor({ kind: 'alloc', bytes }, 'number');
    return new RemoteBuffer(number, rank, bytes);
  }

  async adopt(): Promise<DeviceBuffer> {
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      'A GPUBuffer belongs to one device, and the ranks of this world are on several: only worlds on one device take ' +
        "callers' buffers. Copy its bytes into a buffer of the rank.",
    );
  }

  async free(buffer: DeviceBuffer): Promise<void> {
    if (!this.#hasEnded) await this.#callFor({ kind: 'free', buffer: RemoteBuffer.numberOf(buffer) }, 'nothing');
  }

  async write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number): Promise<void> {
    // For a view, its whole buffer would be sent.
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    await this.#callFor({ kind: 'write', buffer: RemoteBuffer.numberOf(buffer), data: bytes, offset }, 'nothing');
  }

  async read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number): Promise<void> {
    const call = { kind: 'read', buffer: RemoteBuffer.numberOf(buffer), bytes: into.byteLength, offset } as const;
    const { bytes } = await this.#callFor(call, 'bytes');
    new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(bytes);
  }

  async registerWindow([part]: readonly BufferPart[], bytes: number, flags: WindowFlags): Promise<WindowHandle> {
    if (part === undefined) throw foreign('buffer');
    const { offset } = part;
    const call = { kind: 'registerWindow', buffer: RemoteBuffer.numberOf(part.buffer), offset, bytes, flags } as const;
    const { number, addresses } = await this.#callFor(call, 'window');
    return new RemoteWindow(number, bytes, flags, addresses);
  }

  async deregisterWindow(window: WindowHandle): Promise<void> {
    if (!this.#hasEnded)
      await this.#callFor({ kind: 'deregisterWindow', window: RemoteWindow.numberOf(window) }, 'nothing');
  }

  devicePointer(window: WindowHandle, _rank: number, peer: number, offset: number): number | undefined {
    return RemoteWindow.addressOf(window, peer, offset);
  }

  async createDevComm(plan: DevCommPlan): Promise<DevCommHandle> {
    const { number } = await this.#callFor({ kind: 'createDevComm', plan }, 'number');
    return new RemoteDevComm(number, plan);
  }

  async destroyDevComm(devComm: DevCommHandle): Promise<void> {
    if (!this.#hasEnded)
      await this.#callFor({ kind: 'destroyDevComm', devComm: RemoteDevComm.numberOf(devComm) }, 'nothing');
  }

  async createStream(rank: number): Promise<StreamHandle> {
    const { number } = await this.#callFor({ kind: 'createStream' }, 'number');
    return new RemoteStream(number, rank);
  }

  async destroyStream(stream: StreamHandle): Promise<void> {
    if (!this.#hasEnded)
      await this.#callFor({ kind: 'destroyStream', stream: RemoteStream.numberOf(stream) }, 'nothing');
  }

  async compile(module: ValidatedModule): Promise<Executable> {
    this.#init.onCompile(module);
    // Only its own process knows where a text is in its author's file.
    const sources = module.sources.map(({ name, text }) => ({ name, text }));
    const { number } = await this.#callFor({ kind: 'compile', module: { ...module, sources } }, 'number');
    const executable = new RemoteExecutable(number, module.name);
    this.#executables.push(executable);
    return executable;
  }

  launch(executable: Executable, { grid, block, stream, signal }: LaunchConfig, args: readonly KernelArg[]): void {
    this.#check('launch');
    this.#init.end.send({
      kind: 'launch',
      launch: {
        executable: RemoteExecutable.numberOf(executable),
        stream: RemoteStream.numberOf(stream),
        grid,
        block,
        args: args.map(sentArg),
        signal: signal === undefined ? undefined : this.#signal(signal),
      },
    });
  }

  async synchronize(stream: StreamHandle): Promise<LaunchReport> {
    const call = { kind: 'synchronize', stream: RemoteStream.numberOf(stream) } as const;
    const { report, properties } = await this.#callFor(call, 'report');
    this.#dispatches = properties.dispatches;
    this.#gpuNanoseconds = properties.gpuNanoseconds;
    this.#exchanged = properties.exchanged;
    for (const { executable, language, text } of properties.artifacts) {
      this.#executables.find((one) => one.number === executable)?.add({ language, text });
    }
    return report;
  }

  setHostState(_rank: number, state: HostState): void {
    if (!this.#hasEnded) this.#init.end.send({ kind: 'host', state });
  }

  abort(reason: Error): void {
    if (!this.#hasEnded) this.#init.end.send({ kind: 'abort', reason: serializeError(reason) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  /** Other ranks may still read this device's memory, so it stays until all have closed. */
  async #close(): Promise<void> {
    try {
      if (this.#failure === undefined) await this.#call({ kind: 'close' });
    } catch {
      // This run has ended, even if the others continue.
    }
    this.lose(closed('The world'));
    this.#queue.close();
    await this.#init.onClosed();
  }

  get #hasEnded(): boolean {
    return this.#failure !== undefined || this.#closing !== undefined;
  }

  #check(what: string): void {
    if (this.#closing !== undefined) throw closed(what);
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #callFor<K extends WorldResult['of']>(call: WorldCall, of: K): Promise<ResultOf<K>> {
    this.#check(call.kind);
    const result = await this.#call(call);
    if (isResult(result, of)) return result;
    throw new NcclError('NCCL_INTERNAL_ERROR', `${call.kind} was answered with ${result.of}; expected ${of}.`);
  }

  async #call(call: WorldCall): Promise<WorldResult> {
    const number = this.#next++;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve, reject });
      this.#init.end.send({ kind: 'call', number, call });
    });
  }

  #take(number: number): PendingCall | undefined {
    const pending = this.#pending.get(number);
    this.#pending.delete(number);
    return pending;
  }

  /** The host program's next action is reported before this. */
  #received(): void {
    this.#results++;
    this.#queue.post(() => this.#init.end.send({ kind: 'received', results: this.#results }));
  }

  #signal(signal: AbortSignal): number {
    const known = this.#signals.get(signal);
    if (known !== undefined) return known;
    const number = this.#next++;
    this.#signals.set(signal, number);
    const cancel = (): void => {
      if (!this.#hasEnded)
        this.#init.end.send({ kind: 'cancel', signal: number, reason: serializeError(signal.reason) });
    };
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    return number;
  }
}

function isResult<K extends WorldResult['of']>(result: WorldResult, of: K): result is ResultOf<K> {
  return result.of === of;
}

function sentArg(arg: KernelArg): SentArg {
  if (arg.kind === 'window') return { kind: arg.kind, window: RemoteWindow.numberOf(arg.window) };
  return arg.kind === 'devComm' ? { kind: arg.kind, devComm: RemoteDevComm.numberOf(arg.devComm) } : arg;
}
