import { foreign } from '@nccl-ts/backend-webgpu/devices';
import { NcclError } from '@nccl-ts/core';
import { validate, type Module } from '@nccl-ts/ir';
import type { DeviceBuffer, Executable, KernelArg, StreamHandle } from '@nccl-ts/transport';
import type { WorldEnd } from '../messages/connection.ts';
import { deserializeError, serializeError } from '../messages/serialized-error.ts';
import type {
  SentArg,
  SentLaunch,
  ToWorld,
  WorldCall,
  WorldProperties,
  WorldResult,
} from '../messages/world-messages.ts';
import { RemoteHostState } from './remote-host-state.ts';
import type { WorldServer } from './world-server.ts';

const nothing: WorldResult = { of: 'nothing' };

/** One rank's part of a world, in the worker or tab where the world runs. */
export class RankSession {
  readonly host: RemoteHostState;
  readonly #server: WorldServer;
  readonly #rank: number;
  readonly #end: WorldEnd;
  readonly #buffers = new Map<number, DeviceBuffer>();
  readonly #streams = new Map<number, StreamHandle>();
  readonly #executables = new Map<number, { readonly executable: Executable; sentArtifacts: number }>();
  readonly #signals = new Map<number, AbortController>();
  /** By stream: launches that could not even be enqueued. */
  readonly #failures = new Map<number, Error>();

  constructor(server: WorldServer, rank: number, end: WorldEnd) {
    this.#server = server;
    this.#rank = rank;
    this.#end = end;
    this.host = new RemoteHostState((state) => server.world.setHostState(rank, state));
  }

  receive(message: ToWorld): void {
    switch (message.kind) {
      case 'call':
        void this.#answer(message.number, message.call);
        return;
      case 'launch':
        this.#launch(message.launch);
        return;
      case 'cancel':
        this.#signal(message.signal).abort(deserializeError(message.reason));
        return;
      case 'host':
        this.host.report(message.state);
        return;
      case 'received':
        this.host.received(message.results);
        return;
      case 'abort':
        this.#server.abort(deserializeError(message.reason));
        return;
      case 'join':
      case 'gpu':
        return;
    }
  }

  reportStall(error: Error | undefined): void {
    this.#end.send({ kind: 'stall', error: error === undefined ? undefined : serializeError(error) });
  }

  async #answer(number: number, call: WorldCall): Promise<void> {
    try {
      const result = await this.#perform(call);
      this.host.sent();
      this.#end.send({ kind: 'result', to: number, result });
    } catch (error) {
      this.host.sent();
      this.#end.send({ kind: 'error', to: number, error: serializeError(error) });
    }
  }

  async #perform(call: WorldCall): Promise<WorldResult> {
    const { world, collectives, windows, devComms } = this.#server;
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
        const number = await collectives.call(this.#rank, { kind, buffer, offset, bytes, flags });
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
        return { of: 'number', number: await collectives.call(this.#rank, { kind: call.kind, plan: call.plan }) };
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
        return this.#added(this.#executables, { executable: await this.#compile(call.module), sentArtifacts: 0 });
      case 'synchronize': {
        const failure = this.#failures.get(call.stream);
        this.#failures.delete(call.stream);
        if (failure !== undefined) throw failure;
        const report = await world.synchronize(found(this.#streams, call.stream, 'stream'));
        return { of: 'report', report, properties: this.#properties() };
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
    const validation = validate(this.#server.withLocations(module), this.#server.capabilities);
    if (validation.ok) return this.#server.world.compile(validation.module);
    const why = validation.diagnostics.map(({ message }) => message).join('; ');
    throw new NcclError('NCCL_INTERNAL_ERROR', `Kernel ${module.name} is not the same in all workers or tabs: ${why}`);
  }

  #properties(): WorldProperties {
    const { dispatches, gpuNanoseconds, exchanged } = this.#server.world;
    const artifacts = [...this.#executables].flatMap(([number, entry]) => {
      const fresh = entry.executable.artifacts.slice(entry.sentArtifacts);
      entry.sentArtifacts += fresh.length;
      return fresh.map((artifact) => ({ executable: number, ...artifact }));
    });
    return { dispatches, gpuNanoseconds, exchanged, artifacts };
  }

  #signal(number: number): AbortController {
    const signal = this.#signals.get(number) ?? new AbortController();
    this.#signals.set(number, signal);
    return signal;
  }

  #added<T>(to: Map<number, T>, object: T): WorldResult {
    const number = this.#server.nextNumber();
    to.set(number, object);
    return { of: 'number', number };
  }

  #taken<T>(from: Map<number, T>, number: number, what: string): T {
    const object = found(from, number, what);
    from.delete(number);
    return object;
  }
}

function found<T>(among: ReadonlyMap<number, T>, number: number, what: string): T {
  const object = among.get(number);
  if (object === undefined) throw foreign(what);
  return object;
}
