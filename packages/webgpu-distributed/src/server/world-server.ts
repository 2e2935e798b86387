import { aborted } from '@nccl-ts/backend-webgpu/devices';
import { NcclError } from '@nccl-ts/core';
import type { Capabilities, Module, Source } from '@nccl-ts/ir';
import type { DevCommHandle, WindowHandle } from '@nccl-ts/transport';
import type { DistributedWebgpuWorld } from '../world/distributed-world.ts';
import type { WorldEnd } from '../messages/connection.ts';
import type { ToWorld } from '../messages/world-messages.ts';
import { CollectiveCalls, type CollectiveRequest } from './collective-calls.ts';
import { RankSession } from './rank-session.ts';

/** Runs a world for ranks in separate workers or tabs. */
export class WorldServer {
  readonly capabilities: Capabilities;
  readonly world: DistributedWebgpuWorld;
  readonly collectives: CollectiveCalls;
  readonly windows: Map<number, WindowHandle> = new Map();
  readonly devComms: Map<number, DevCommHandle> = new Map();
  readonly #sessions: readonly RankSession[];
  /** By number of a window or device communicator: the number of ranks that still hold it. */
  readonly #holders = new Map<number, number>();
  readonly #locators = new Map<string, NonNullable<Source['locate']>>();
  readonly #closed = new Set<number>();
  #objects = 0;
  #failure: Error | undefined;
  #finish: () => void = () => undefined;
  /** Resolves when every rank has closed the world, or it has ended otherwise. */
  readonly ended: Promise<void>;

  /** @param ends by rank. */
  constructor(world: DistributedWebgpuWorld, capabilities: Capabilities, ends: readonly WorldEnd[]) {
    this.capabilities = capabilities;
    this.world = world;
    this.ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.collectives = new CollectiveCalls(
      ends.length,
      async (requests) => this.#create(requests),
      (rank, waits) => this.#sessions[rank]?.host.setWaiting(waits),
    );
    this.#sessions = ends.map((end, rank) => new RankSession(this, rank, end));
  }

  /** Called with a message of a rank. */
  receive(rank: number, message: ToWorld): void {
    this.#sessions[rank]?.receive(message);
  }

  /** Records texts of kernels that can be found here in their author's files. */
  addSources(sources: readonly Source[]): void {
    for (const { text, locate } of sources) if (locate !== undefined) this.#locators.set(text, locate);
  }

  /** Adds the known locations of their texts to kernels of other workers or tabs. */
  withLocations(module: Module): Module {
    const sources = module.sources.map(({ name, text }) => ({
      name,
      text,
      locate: (offset: number) => this.#locators.get(text)?.(offset),
    }));
    return { ...module, sources };
  }

  /** Returns a new number for an object of the world. */
  nextNumber(): number {
    return this.#objects++;
  }

  /** Called if no rank can continue. */
  reportStall(error: Error | undefined): void {
    this.collectives.fail(
      (present, kind) =>
        error ??
        new NcclError(
          'NCCLTS_DEADLOCK',
          `${kind} cannot complete: no rank can continue. Present: rank ${present.join(', rank ')}.`,
        ),
    );
    for (const session of this.#sessions) session.reportStall(error);
  }

  /** Ends everything at a rank's request. */
  abort(reason: Error): void {
    this.world.abort(reason);
    this.end(aborted('The world', reason));
  }

  /** Ends all waits. */
  end(error: Error): void {
    this.#failure ??= error;
    this.collectives.fail(() => error);
    this.#finish();
  }

  /** The reason why the world ended before all ranks had closed it. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Called when a rank no longer needs the world. Resolves when the world has ended. */
  async close(rank: number): Promise<void> {
    this.#closed.add(rank);
    if (this.#closed.size === this.#sessions.length) this.#finish();
    await this.ended;
  }

  /**
   * Called when a rank has freed the window or the device communicator. Returns true if all have.
   */
  release(number: number): boolean {
    const left = (this.#holders.get(number) ?? 1) - 1;
    this.#holders.set(number, left);
    if (left > 0) return false;
    this.#holders.delete(number);
    return true;
  }

  async #create(requests: readonly CollectiveRequest[]): Promise<number> {
    const number = this.nextNumber();
    this.#holders.set(number, requests.length);
    const [first] = requests;
    if (first?.kind === 'createDevComm') this.devComms.set(number, await this.world.createDevComm(first.plan));
    if (first?.kind !== 'registerWindow') return number;
    const parts = requests.flatMap((request) => (request.kind === 'registerWindow' ? [request] : []));
    this.windows.set(number, await this.world.registerWindow(parts, first.bytes, first.flags));
    return number;
  }
}
