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
import { closed, foreign } from '../errors.ts';
import { noCosts, type ExchangeCosts } from '../exchange/exchange.ts';
import type { AcquiredDevice, AdapterInfo } from '../gpu/acquired-device.ts';
import type { WebgpuWorld } from '../webgpu-world.ts';
import { receiveError, sendError } from './sent-error.ts';
import { FarBuffer, FarDevComm, FarExecutable, FarStream, FarWindow } from './far-things.ts';
import type { PlaceEnd } from './wire.ts';
import type { SentArg, ToPlace, WorldCall, WorldResult } from './world-messages.ts';

export interface PlaceWorldInit {
  readonly rank: number;
  readonly topology: Topology;
  /** The device of this member. */
  readonly device: AcquiredDevice;
  /** The connection to the world. */
  readonly end: PlaceEnd;
  readonly onStall: (error: Error | undefined) => void;
  /** Called with each kernel before it is sent. */
  readonly onCompile: (module: Module) => void;
  /** Called when the world is closed. */
  readonly onClosed: () => Promise<void>;
}

type ResultOf<K extends WorldResult['of']> = Extract<WorldResult, { readonly of: K }>;

interface Asker {
  resolve(result: WorldResult): void;
  reject(error: Error): void;
}

/**
 * A world with one rank here, which runs in rank 0's worker or tab. Properties of the whole world
 * have their values at the last `synchronize`.
 */
export class PlaceWorld implements WebgpuWorld {
  readonly topology: Topology;
  readonly localRanks: readonly number[];
  readonly support: ResourceSupport = Object.freeze({ symmetric: true, multimem: false, gin: 'none' });
  readonly #init: PlaceWorldInit;
  readonly #askers = new Map<number, Asker>();
  readonly #signals = new Map<AbortSignal, number>();
  readonly #executables: FarExecutable[] = [];
  readonly #queue = createMacrotaskQueue();
  #next = 0;
  #results = 0;
  #dispatches = 0;
  #gpuNanoseconds: bigint | undefined;
  #exchanged = noCosts;
  #gone: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(init: PlaceWorldInit) {
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

  get adapterInfo(): AdapterInfo {
    return this.#init.device.adapterInfo;
  }

  get software(): boolean {
    return this.#init.device.software;
  }

  /** It is not known which members share a GPU. */
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

  /** Takes a message of the world. */
  take(message: ToPlace): void {
    switch (message.kind) {
      case 'result':
        this.#asker(message.to)?.resolve(message.result);
        this.#heard();
        return;
      case 'error':
        this.#asker(message.to)?.reject(receiveError(message.error));
        this.#heard();
        return;
      case 'stall':
        this.#init.onStall(message.error === undefined ? undefined : receiveError(message.error));
        return;
      case 'over':
        this.lose(receiveError(message.error));
        return;
      case 'come':
      case 'welcome':
      case 'refused':
      case 'gpu':
        return;
    }
  }

  /** Called when the worker or tab that runs the world has ended. */
  lose(error: Error): void {
    this.#gone ??= error;
    for (const asker of this.#askers.values()) asker.reject(this.#gone);
    this.#askers.clear();
  }

  async alloc(rank: number, bytes: number): Promise<DeviceBuffer> {
    const { number } = await this.#ask({ kind: 'alloc', bytes }, 'number');
    return new FarBuffer(number, rank, bytes);
  }

  async adopt(): Promise<DeviceBuffer> {
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      'A GPUBuffer belongs to one device, and the ranks of this world are on several: only worlds on one device take ' +
        "callers' buffers. Copy its bytes into a buffer of the rank.",
    );
  }

  async free(buffer: DeviceBuffer): Promise<void> {
    if (!this.#isOver) await this.#ask({ kind: 'free', buffer: FarBuffer.numberOf(buffer) }, 'nothing');
  }

  async write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number): Promise<void> {
    // For a view, its whole buffer would be sent.
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    await this.#ask({ kind: 'write', buffer: FarBuffer.numberOf(buffer), data: bytes, offset }, 'nothing');
  }

  async read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number): Promise<void> {
    const call = { kind: 'read', buffer: FarBuffer.numberOf(buffer), bytes: into.byteLength, offset } as const;
    const { bytes } = await this.#ask(call, 'bytes');
    new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(bytes);
  }

  async registerWindow([part]: readonly BufferPart[], bytes: number, flags: WindowFlags): Promise<WindowHandle> {
    if (part === undefined) throw foreign('buffer');
    const { offset } = part;
    const call = { kind: 'registerWindow', buffer: FarBuffer.numberOf(part.buffer), offset, bytes, flags } as const;
    const { number, addresses } = await this.#ask(call, 'window');
    return new FarWindow(number, bytes, flags, addresses);
  }

  async deregisterWindow(window: WindowHandle): Promise<void> {
    if (!this.#isOver) await this.#ask({ kind: 'deregisterWindow', window: FarWindow.numberOf(window) }, 'nothing');
  }

  devicePointer(window: WindowHandle, _rank: number, peer: number, offset: number): number | undefined {
    return FarWindow.addressOf(window, peer, offset);
  }

  async createDevComm(plan: DevCommPlan): Promise<DevCommHandle> {
    const { number } = await this.#ask({ kind: 'createDevComm', plan }, 'number');
    return new FarDevComm(number, plan);
  }

  async destroyDevComm(devComm: DevCommHandle): Promise<void> {
    if (!this.#isOver) await this.#ask({ kind: 'destroyDevComm', devComm: FarDevComm.numberOf(devComm) }, 'nothing');
  }

  async createStream(rank: number): Promise<StreamHandle> {
    const { number } = await this.#ask({ kind: 'createStream' }, 'number');
    return new FarStream(number, rank);
  }

  async destroyStream(stream: StreamHandle): Promise<void> {
    if (!this.#isOver) await this.#ask({ kind: 'destroyStream', stream: FarStream.numberOf(stream) }, 'nothing');
  }

  async compile(module: ValidatedModule): Promise<Executable> {
    this.#init.onCompile(module);
    // Only its own process knows where a text is in its author's file.
    const sources = module.sources.map(({ name, text }) => ({ name, text }));
    const { number } = await this.#ask({ kind: 'compile', module: { ...module, sources } }, 'number');
    const executable = new FarExecutable(number, module.name);
    this.#executables.push(executable);
    return executable;
  }

  launch(executable: Executable, { grid, block, stream, signal }: LaunchConfig, args: readonly KernelArg[]): void {
    this.#check('launch');
    this.#init.end.send({
      kind: 'launch',
      launch: {
        executable: FarExecutable.numberOf(executable),
        stream: FarStream.numberOf(stream),
        grid,
        block,
        args: args.map(sentArg),
        signal: signal === undefined ? undefined : this.#signal(signal),
      },
    });
  }

  async synchronize(stream: StreamHandle): Promise<LaunchReport> {
    const call = { kind: 'synchronize', stream: FarStream.numberOf(stream) } as const;
    const { report, account } = await this.#ask(call, 'report');
    this.#dispatches = account.dispatches;
    this.#gpuNanoseconds = account.gpuNanoseconds;
    this.#exchanged = account.exchanged;
    for (const { executable, language, text } of account.texts) {
      this.#executables.find((one) => one.number === executable)?.tell({ language, text });
    }
    return report;
  }

  setHostState(_rank: number, state: HostState): void {
    if (!this.#isOver) this.#init.end.send({ kind: 'host', state });
  }

  abort(reason: Error): void {
    if (!this.#isOver) this.#init.end.send({ kind: 'abort', reason: sendError(reason) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  /** Other ranks may still read this device's memory, so it stays until all have closed. */
  async #close(): Promise<void> {
    try {
      if (this.#gone === undefined) await this.#asked({ kind: 'close' });
    } catch {
      // This run has ended, even if the others continue.
    }
    this.lose(closed('The world'));
    this.#queue.close();
    await this.#init.onClosed();
  }

  get #isOver(): boolean {
    return this.#gone !== undefined || this.#closing !== undefined;
  }

  #check(what: string): void {
    if (this.#closing !== undefined) throw closed(what);
    if (this.#gone !== undefined) throw this.#gone;
  }

  async #ask<K extends WorldResult['of']>(call: WorldCall, of: K): Promise<ResultOf<K>> {
    this.#check(call.kind);
    const result = await this.#asked(call);
    if (isResult(result, of)) return result;
    throw new NcclError('NCCL_INTERNAL_ERROR', `${call.kind} was answered with ${result.of}; expected ${of}.`);
  }

  async #asked(call: WorldCall): Promise<WorldResult> {
    const number = this.#next++;
    return new Promise((resolve, reject) => {
      this.#askers.set(number, { resolve, reject });
      this.#init.end.send({ kind: 'call', number, call });
    });
  }

  #asker(number: number): Asker | undefined {
    const asker = this.#askers.get(number);
    this.#askers.delete(number);
    return asker;
  }

  /** The host program's next action is reported before this. */
  #heard(): void {
    this.#results++;
    this.#queue.post(() => this.#init.end.send({ kind: 'heard', results: this.#results }));
  }

  #signal(signal: AbortSignal): number {
    const known = this.#signals.get(signal);
    if (known !== undefined) return known;
    const number = this.#next++;
    this.#signals.set(signal, number);
    const cancel = (): void => {
      if (!this.#isOver) this.#init.end.send({ kind: 'cancel', signal: number, reason: sendError(signal.reason) });
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
  if (arg.kind === 'window') return { kind: arg.kind, window: FarWindow.numberOf(arg.window) };
  return arg.kind === 'devComm' ? { kind: arg.kind, devComm: FarDevComm.numberOf(arg.devComm) } : arg;
}
