import type { Topology } from '@nccl-ts/topology';
import type { RankGroup } from '@nccl-ts/transport';
import type { CollectiveContext } from '../rendezvous/collective.ts';
import { Companions, type ReportMisuse } from './companion.ts';
import { Rendezvous, type RankStates } from '../rendezvous/rendezvous.ts';
import type { WorldCore } from '../world/world-core.ts';

/** The state that the ranks of one communicator share. */
export class CommunicatorGroup {
  readonly world: WorldCore;
  /**
   * The backend's handle of the group; undefined for all ranks of the world with their world ranks.
   */
  readonly handle: RankGroup | undefined;
  /** The world ranks of the members, by rank. */
  readonly members: readonly number[];
  readonly topology: Topology;
  readonly rendezvous: Rendezvous;
  /**
   * The key of the group's collective calls: each kind of call finds its meetings by this object.
   */
  readonly collectiveContext: CollectiveContext;
  readonly companions: Companions;
  readonly #survivors = new Map<string, Rendezvous>();

  constructor(world: WorldCore, handle?: RankGroup) {
    const { device, lifecycle } = world;
    this.world = world;
    this.handle = handle;
    this.topology = handle?.topology ?? device.topology;
    this.members = handle?.members ?? Array.from({ length: this.topology.nRanks }, (_, rank) => rank);
    this.rendezvous = new Rendezvous(this.#localRanks, this.#states);
    this.collectiveContext = { device, lifecycle, handle };
    this.companions = new Companions(this.#localRanks, this.#reportMisuse);
  }

  /** Returns the rendezvous for shrinking the communicator to these ranks. */
  survivors(ranks: readonly number[]): Rendezvous {
    const key = ranks.join();
    let survivors = this.#survivors.get(key);
    if (survivors === undefined) {
      survivors = new Rendezvous(ranks, this.#states);
      this.#survivors.set(key, survivors);
    }
    return survivors;
  }

  /** Returns all rendezvous of the group's ranks. */
  get #meetings(): readonly Rendezvous[] {
    return [this.rendezvous, ...this.#survivors.values()];
  }

  /** Called when a rank's host program has ended. Calls that wait for it never succeed. */
  leave(rank: number): void {
    for (const meetings of this.#meetings) meetings.leave(rank);
  }

  /** Called when a rank's communicator is closed. It makes no more calls. */
  close(rank: number): void {
    for (const meetings of this.#meetings) meetings.close(rank);
  }

  /** Called when a rank has aborted its communicator. Its waits end, and so do waits for it. */
  abort(rank: number): void {
    this.companions.abandon();
    for (const meetings of this.#meetings) meetings.abort(rank);
  }

  /** Ends the waits of a rank. */
  interrupt(rank: number): void {
    this.companions.abandon();
    for (const meetings of this.#meetings) meetings.interrupt(rank);
  }

  /** Called if no rank can continue. */
  stall(error: Error | undefined): void {
    for (const meetings of this.#meetings) meetings.stall(error);
  }

  /** Called when the world is aborted. */
  end(cause: unknown): void {
    this.companions.abandon();
    for (const meetings of this.#meetings) meetings.end(cause);
  }

  worldRank(rank: number): number {
    const member = this.members[rank];
    if (member === undefined)
      throw new RangeError(`A communicator of ${this.members.length} ranks has no rank ${rank}.`);
    return member;
  }

  /** Converts to ranks of the world, which backends use. */
  get #reportMisuse(): ReportMisuse | undefined {
    const { device } = this.world;
    if (device.misused === undefined) return undefined;
    return ({ error, calls }) =>
      device.misused?.({ error, calls: calls.map((one) => ({ ...one, rank: this.worldRank(one.rank) })) });
  }

  get #localRanks(): readonly number[] {
    const local = new Set(this.world.device.localRanks);
    return this.members.flatMap((member, rank) => (local.has(member) ? [rank] : []));
  }

  /** Returns the states of the ranks' host programs, by rank in this group. */
  get #states(): RankStates {
    const { states } = this.world;
    return {
      begin: (rank) => states.begin(this.worldRank(rank)),
      block: (rank, what, queue) => states.block(this.worldRank(rank), what, queue),
      move: (rank) => states.move(this.worldRank(rank)),
      isOver: (rank) => states.isOver(this.worldRank(rank)),
      describe: (rank) => states.describe(this.worldRank(rank)),
    };
  }
}
