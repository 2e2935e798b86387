import { NcclError } from '@nccl-ts/core';
import { validate, type Module } from '@nccl-ts/ir';
import type { DeviceBuffer, Executable, KernelArg, StreamHandle } from '@nccl-ts/transport';
import { foreign } from '../errors.ts';
import { HostView } from './host-view.ts';
import { receiveError, sendError } from './sent-error.ts';
import type { WorldEnd } from './wire.ts';
import type { SentArg, SentLaunch, ToWorld, WorldAccount, WorldCall, WorldResult } from './world-messages.ts';
import type { WorldServer } from './world-server.ts';

const nothing: WorldResult = { of: 'nothing' };

/** One rank's part of a world, in the worker or tab where the world runs. */
export class PlaceSession {
  readonly host: HostView;
  readonly #server: WorldServer;
  readonly #rank: number;
  readonly #end: WorldEnd;
  readonly #buffers = new Map<number, DeviceBuffer>();
  readonly #streams = new Map<number, StreamHandle>();
  readonly #executables = new Map<number, { readonly executable: Executable; told: number }>();
  readonly #signals = new Map<number, AbortController>();
  /** By stream: launches that could not even be enqueued. */
  readonly #failures = new Map<number, Error>();

  constructor(server: WorldServer, rank: number, end: WorldEnd) {
    this.#server = server;
    this.#rank = rank;
    this.#end = end;
    this.host = new HostView((state) => server.world.setHostState(rank, state));
  }

  take(message: ToWorld): void {
    switch (message.kind) {
      case 'call':
        void this.#answer(message.number, message.call);
        return;
      case 'launch':
        this.#launch(message.launch);
        return;
      case 'cancel':
        this.#signal(message.signal).abort(receiveError(message.reason));
        return;
      case 'host':
        this.host.told(message.state);
        return;
      case 'heard':
        this.host.heard(message.results);
        return;
      case 'abort':
        this.#server.abort(receiveError(message.reason));
        return;
      case 'join':
      case 'gpu':
        return;
    }
  }

  stalled(error: Error | undefined): void {
    this.#end.send({ kind: 'stall', error: error === undefined ? undefined : sendError(error) });
  }

  async #answer(number: number, call: WorldCall): Promise<void> {
    try {
      const result = await this.#perform(call);
      this.host.sent();
      this.#end.send({ kind: 'result', to: number, result });
    } catch (error) {
      this.host.sent();
      this.#end.send({ kind: 'error', to: number, error: sendError(error) });
    }
  }

  async #perform(call: WorldCall): Promise<WorldResult> {
    const { world, meetings, windows, devComms } = this.#server;
    switch (call.kind) {
      case 'alloc':
        return this.#added(this.#buffers, await world.alloc(this.#rank, call.bytes));
      case 'free':
        await world.free(this.#taken(this.#buffers, call.buffer, 'buffer'));
        return nothing;
      case 'write':
        await world.write(found(this.#buffers, call.buffer, 'buffer'), call.data, call.offset);
        return nothing;
      case 'read': {
        const bytes = new Uint8Array(call.bytes);
        await world.read(found(this.#buffers, call.buffer, 'buffer'), bytes, call.offset);
        return { of: 'bytes', bytes };
      }
      case 'registerWindow': {
        const { kind, offset, bytes, flags } = call;
        const buffer = found(this.#buffers, call.buffer, 'buffer');
        const number = await meetings.meet(this.#rank, { kind, buffer, offset, bytes, flags });
        const window = found(windows, number, 'window');
        const addresses = Array.from({ length: world.topology.nRanks }, (_, peer) =>
          world.devicePointer(window, this.#rank, peer, 0),
        );
        return { of: 'window', number, addresses };
      }
      case 'deregisterWindow':
        if (this.#server.release(call.window)) {
          await world.deregisterWindow(this.#taken(windows, call.window, 'window'));
        }
        return nothing;
      case 'createDevComm':
        return { of: 'number', number: await meetings.meet(this.#rank, { kind: call.kind, plan: call.plan }) };
      case 'destroyDevComm':
        if (this.#server.release(call.devComm)) {
          await world.destroyDevComm(this.#taken(devComms, call.devComm, 'device communicator'));
        }
        return nothing;
      case 'createStream':
        return this.#added(this.#streams, await world.createStream(this.#rank));
      case 'destroyStream':
        await world.destroyStream(this.#taken(this.#streams, call.stream, 'stream'));
        return nothing;
      case 'compile':
        return this.#added(this.#executables, { executable: await this.#compile(call.module), told: 0 });
      case 'synchronize': {
        const failure = this.#failures.get(call.stream);
        this.#failures.delete(call.stream);
        if (failure !== undefined) throw failure;
        const report = await world.synchronize(found(this.#streams, call.stream, 'stream'));
        return { of: 'report', report, account: this.#account() };
      }
      case 'close':
        await this.#server.close(this.#rank);
        return nothing;
    }
  }

  #launch({ executable, stream, grid, block, args, signal }: SentLaunch): void {
    try {
      this.#server.world.launch(
        found(this.#executables, executable, 'kernel').executable,
        {
          grid,
          block,
          stream: found(this.#streams, stream, 'stream'),
          ...(signal === undefined ? {} : { signal: this.#signal(signal).signal }),
        },
        args.map((arg) => this.#argument(arg)),
      );
    } catch (error) {
      const failure = error instanceof Error ? error : new NcclError('NCCL_INTERNAL_ERROR', String(error));
      if (!this.#failures.has(stream)) this.#failures.set(stream, failure);
    }
  }

  #argument(arg: SentArg): KernelArg {
    const { windows, devComms } = this.#server;
    if (arg.kind === 'window') return { kind: arg.kind, window: found(windows, arg.window, 'window') };
    if (arg.kind !== 'devComm') return arg;
    return { kind: arg.kind, devComm: found(devComms, arg.devComm, 'device communicator') };
  }

  /** It was valid where it was created, and is checked again here. */
  async #compile(module: Module): Promise<Executable> {
    const validation = validate(this.#server.located(module), this.#server.capabilities);
    if (validation.ok) return this.#server.world.compile(validation.module);
    const why = validation.diagnostics.map(({ message }) => message).join('; ');
    throw new NcclError('NCCL_INTERNAL_ERROR', `Kernel ${module.name} is not the same in all workers or tabs: ${why}`);
  }

  #account(): WorldAccount {
    const { dispatches, gpuNanoseconds, exchanged } = this.#server.world;
    const texts = [...this.#executables].flatMap(([number, entry]) => {
      const fresh = entry.executable.artifacts.slice(entry.told);
      entry.told += fresh.length;
      return fresh.map((artifact) => ({ executable: number, ...artifact }));
    });
    return { dispatches, gpuNanoseconds, exchanged, texts };
  }

  #signal(number: number): AbortController {
    const signal = this.#signals.get(number) ?? new AbortController();
    this.#signals.set(number, signal);
    return signal;
  }

  #added<T>(to: Map<number, T>, thing: T): WorldResult {
    const number = this.#server.nextNumber();
    to.set(number, thing);
    return { of: 'number', number };
  }

  #taken<T>(from: Map<number, T>, number: number, what: string): T {
    const thing = found(from, number, what);
    from.delete(number);
    return thing;
  }
}

function found<T>(among: ReadonlyMap<number, T>, number: number, what: string): T {
  const thing = among.get(number);
  if (thing === undefined) throw foreign(what);
  return thing;
}
