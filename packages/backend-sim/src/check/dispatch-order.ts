import type { SimLaunch } from '../engine/launch.ts';
import type { SimStream } from '../engine/stream.ts';

/** The launches of one rank, as far as they compete for the room of its device. */
interface RankLaunches {
  /** By stream: the CTAs of its largest launch. */
  readonly streams: Map<SimStream, number>;
  hasWaited: boolean;
}

/**
 * Finds launches whose CTAs a device may start in another order, because it has no room for all of
 * them. That matters if one of them waits, because it keeps its room meanwhile. The launches of one
 * stream start in order, and those of several streams in any.
 */
export class DispatchOrder {
  readonly #room: number;
  readonly #doubts: (why: string) => void;
  readonly #ranks = new Map<number, RankLaunches>();

  /** `room`: the number of CTAs that a device holds. */
  constructor(room: number, doubts: (why: string) => void) {
    this.#room = room;
    this.#doubts = doubts;
  }

  /** Called when a host enqueues a launch. */
  enqueued({ rank, stream, ctas }: SimLaunch): void {
    const { streams } = this.#of(rank);
    streams.set(stream, Math.max(ctas, this.#ctasOn(rank, stream)));
    this.#judge(rank);
  }

  /** Called when a wait of a CTA of the launch has passed that another CTA may have satisfied. */
  waited({ rank, ctas, isCooperative }: SimLaunch): void {
    this.#of(rank).hasWaited = true;
    // The CTAs of a cooperative launch start together.
    if (ctas > this.#room && !isCooperative) this.#doubts('CTAs may be dispatched in another order');
    else this.#judge(rank);
  }

  #judge(rank: number): void {
    const { streams, hasWaited } = this.#of(rank);
    if (!hasWaited || streams.size === 1) return;
    const atOnce = [...streams.values()].reduce((sum, one) => sum + one, 0);
    if (atOnce > this.#room) this.#doubts('CTAs of several streams may be dispatched in another order');
  }

  #ctasOn(rank: number, stream: SimStream): number {
    const known = this.#of(rank).streams.get(stream);
    return known === undefined ? 0 : known;
  }

  #of(rank: number): RankLaunches {
    const known = this.#ranks.get(rank) ?? { streams: new Map<SimStream, number>(), hasWaited: false };
    this.#ranks.set(rank, known);
    return known;
  }
}
