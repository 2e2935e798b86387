import { isNcclError, NcclError } from '@nccl-ts/core';
import type { CftCaps, CommProperties } from '@nccl-ts/devcomm';
import type { StreamHandle } from '@nccl-ts/transport';
import { aborted, closed, invalidUsage, notSupported, settleAll } from '../errors.ts';
import type { CommunicatorGroup } from './group.ts';
import { LaunchQueue } from '../stream/launch-queue.ts';
import { commProperties } from '../world/properties.ts';
import { Resources } from './resources.ts';
import type { Shared } from './shared.ts';
import type { WorldState } from './world-state.ts';

/** The internal state that the objects of one rank's communicator share. */
export class RankState {
  readonly world: WorldState;
  readonly group: CommunicatorGroup;
  /** The rank in its group. */
  readonly rank: number;
  /** The rank in the world, which backends use. */
  readonly worldRank: number;
  readonly properties: CommProperties;
  readonly defaultStream: LaunchQueue;
  readonly resources: Resources = new Resources();
  /** The logical endpoints of each open device communicator that has some. */
  readonly endpoints: Map<object, CftCaps> = new Map();
  /** Its own streams, and those of other communicators of the rank on which it has launched. */
  readonly #streams = new Set<LaunchQueue>();
  #phase: 'active' | 'finalized' | 'aborted' | 'closed' = 'active';

  /** `shared` is released at the end. */
  constructor(
    world: WorldState,
    group: CommunicatorGroup,
    rank: number,
    defaultStream: StreamHandle,
    shared?: Shared<CommunicatorGroup>,
  ) {
    this.world = world;
    this.group = group;
    this.rank = rank;
    this.worldRank = group.worldRank(rank);
    this.properties = commProperties(group.topology, world.support, rank);
    if (shared !== undefined) this.resources.add({ close: async () => shared.release() });
    world.communicators.add(this);
    this.defaultStream = this.#newStream(defaultStream);
    this.resources.add(this.defaultStream);
  }

  get isOpen(): boolean {
    return this.#phase === 'active' || this.#phase === 'finalized';
  }

  /** True if the rank has no work in progress. */
  get isIdle(): boolean {
    return [...this.#streams].every((stream) => stream.isIdle) && !this.world.states.isBusy(this.worldRank);
  }

  /**
   * @throws NcclError if the communicator or its world is closed or aborted; `what` is the
   *   requested operation.
   */
  check(what: string): void {
    this.world.lifecycle.check(what);
    if (this.#phase === 'closed') throw closed(`${what}: the communicator of rank ${this.rank} is closed.`);
    if (this.#phase === 'aborted') throw aborted(`${what}: rank ${this.rank} has aborted its communicator.`, undefined);
  }

  /**
   * Like {@link RankState.check}, for operations that communicate.
   *
   * @throws NcclError also if the communicator is finalized
   */
  checkActive(what: string): void {
    this.check(what);
    if (this.#phase === 'active') return;
    throw invalidUsage(`${what}: the communicator of rank ${this.rank} is finalized; only close() may follow.`);
  }

  /** Runs an operation that ends without other ranks; see `HostStates.move`. */
  async move<R>(work: () => Promise<R>): Promise<R> {
    const leave = this.world.states.move(this.worldRank);
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
   * Makes the communicator the owner of a new resource. If the communicator was closed or aborted
   * meanwhile, the resource is freed immediately.
   *
   * @throws NcclError like {@link RankState.check}.
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

  /**
   * True if it may launch on the stream, which must belong to its rank. Any communicator may have
   * created it.
   */
  hasStream(stream: LaunchQueue): boolean {
    return this.#streams.has(stream) || stream.isOf(this.world, this.worldRank);
  }

  /** Records that it launches on the stream. */
  uses(stream: LaunchQueue): void {
    this.#streams.add(stream);
  }

  /** Waits for the launches of all streams. @throws the first error of these launches */
  async drain(what: string): Promise<void> {
    for (const stream of this.#streams) await stream.drain(what);
  }

  /** Like {@link RankState.drain}, but keeps errors for the next caller. */
  async settle(what: string): Promise<void> {
    for (const stream of this.#streams) await stream.settle(what);
  }

  /** Closes everything that the rank owns, youngest first. The default stream is the oldest. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.#phase = 'closed';
    this.group.close(this.rank);
    this.#leave();
    await settleAll(
      [
        async () => this.settle('close'),
        async () => this.resources.close('close'),
        async () => {
          const undone = this.group.companions.close();
          if (undone !== undefined) throw undone;
        },
      ],
      'close',
    );
  }

  /** Called when all ranks have finalized the communicator. */
  finish(): void {
    if (this.#phase === 'active') this.#phase = 'finalized';
  }

  /**
   * Returns the first known error of a launch; null if there is none. Starts to watch for errors
   * that are not known yet.
   */
  asyncError(): NcclError | null {
    for (const stream of this.#streams) {
      stream.look();
      const { failure } = stream;
      if (failure === undefined) continue;
      return isNcclError(failure.error)
        ? failure.error
        : new NcclError('NCCL_INTERNAL_ERROR', String(failure.error), { cause: failure.error });
    }
    return null;
  }

  /**
   * Ends the rank's pending work on the communicator, and launches that wait on the same streams.
   *
   * @throws NcclError `NCCLTS_NOT_SUPPORTED` if the backend cannot end something that is running.
   */
  async endOperations(reason: Error): Promise<void> {
    this.#checkEnd();
    this.group.interrupt(this.rank);
    await Promise.all([...this.#streams].map(async (stream) => stream.cancel(reason)));
  }

  /** Like {@link RankState.endOperations}, but final. Then it frees all the rank's resources. */
  async abort(): Promise<void> {
    if (!this.isOpen) return;
    this.#checkEnd();
    this.#phase = 'aborted';
    this.group.abort(this.rank);
    this.#leave();
    const reason = aborted(`Rank ${this.rank} aborted its communicator.`, undefined);
    await Promise.all([...this.#streams].map(async (stream) => stream.cancel(reason)));
    await this.resources.close('abort');
  }

  #checkEnd(): void {
    const { device, backend } = this.world;
    if (device.cancel !== undefined || [...this.#streams].every((stream) => stream.isIdle)) return;
    throw notSupported(
      `abort: rank ${this.rank} has launches under way, and backend ${backend.name} cannot end those of one rank; abort the ` +
        'world (the signal of run), or wait for them.',
    );
  }

  #leave(): void {
    const { communicators, states } = this.world;
    communicators.delete(this);
    if ([...communicators].some(({ worldRank }) => worldRank === this.worldRank)) return;
    states.finish(this.worldRank, 'closed');
  }
}
