import type { CommProperties } from '@nccl-ts/devcomm';
import type { StreamHandle } from '@nccl-ts/transport';
import { closed, settleAll } from './errors.ts';
import { LaunchQueue } from './launch-queue.ts';
import { commProperties } from './properties.ts';
import { Resources } from './resources.ts';
import type { WorldState } from './world-state.ts';

/** A communicator's inside: what the objects of one rank share. */
export class RankState {
  readonly world: WorldState;
  readonly rank: number;
  readonly properties: CommProperties;
  readonly defaultStream: LaunchQueue;
  readonly resources: Resources = new Resources();
  readonly #streams = new Set<LaunchQueue>();
  #isOpen = true;

  constructor(world: WorldState, rank: number, defaultStream: StreamHandle) {
    this.world = world;
    this.rank = rank;
    this.properties = commProperties(world.device, world.support, rank);
    this.defaultStream = this.#newStream(defaultStream);
    this.resources.add(this.defaultStream);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Nothing of this rank is under way. */
  get isIdle(): boolean {
    return [...this.#streams].every((stream) => stream.isIdle) && !this.world.states.isBusy(this.rank);
  }

  /** @throws NcclError where the communicator or its world is closed or aborted; `what` is what was asked. */
  check(what: string): void {
    this.world.lifecycle.check(what);
    if (!this.#isOpen) throw closed(`${what}: the communicator of rank ${this.rank} is closed.`);
  }

  /** Does what ends by itself; see `HostStates.move`. */
  async move<R>(work: () => Promise<R>): Promise<R> {
    const leave = this.world.states.move(this.rank);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async adoptStream(handle: StreamHandle, what: string): Promise<LaunchQueue> {
    return this.adopt(this.#newStream(handle), what);
  }

  #newStream(handle: StreamHandle): LaunchQueue {
    const stream = new LaunchQueue(this.world, handle, () => {
      this.#streams.delete(stream);
      this.resources.remove(stream);
    });
    this.#streams.add(stream);
    return stream;
  }

  /**
   * Takes what was just made into the communicator's possession. Where the communicator was closed or aborted while it
   * was made, it is given back at once.
   *
   * @throws NcclError as {@link RankState.check}.
   */
  async adopt<R extends { close(): Promise<void> }>(resource: R, what: string): Promise<R> {
    this.resources.add(resource);
    try {
      this.check(what);
    } catch (error) {
      await resource.close();
      throw error;
    }
    return resource;
  }

  hasStream(stream: LaunchQueue): boolean {
    return this.#streams.has(stream);
  }

  /** Waits for the launches of all streams. @throws the first thing that went wrong in them. */
  async drain(what: string): Promise<void> {
    for (const stream of this.#streams) await stream.drain(what);
  }

  /** As {@link RankState.drain}, but keeps what went wrong for the next that asks. */
  async settle(what: string): Promise<void> {
    for (const stream of this.#streams) await stream.settle(what);
  }

  /** Gives everything back that the rank owns, the youngest first; the default stream is the oldest. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.world.states.finish(this.rank, 'closed');
    this.world.rendezvous.leave(this.rank);
    await settleAll([async () => this.settle('close'), async () => this.resources.close('close')], 'close');
  }
}
