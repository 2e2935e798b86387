import { Bounds } from './bounds.ts';
import { numberAt } from './number-at.ts';

/**
 * Threads of one agent at most: a thread is named by a number, `agent * AGENT_THREADS + thread`.
 */
export const AGENT_THREADS = 1024;

/** The number of a thread, or of an agent that is one: 32 bits. */
export type Who = number;

export function agentOf(who: Who): number {
  return who >>> 10;
}

export function threadOf(who: Who): number {
  return who & (AGENT_THREADS - 1);
}

export function whoIs(agent: number, thread: number): Who {
  return ((agent << 10) | thread) >>> 0;
}

/**
 * What is ordered before a point: of each agent, everything that its threads did before a *stamp*;
 * of single threads, more than that; of the network's queues, single requests.
 *
 * Stamps count up for an agent as a whole, whenever one of its threads publishes something, so that
 * a clock is a number for each agent and not for each thread. Who shares a clock with others must
 * not change it: `shared` says so.
 */
export class Clock {
  /** By agent: the first stamp that is not covered. */
  whole: Uint32Array;
  /** By thread: the first stamp that is not covered, where that is later than the agent's. */
  readonly parts: Bounds = new Bounds();
  /** Single requests of queues, and writes that were read from and no more: 1 by `oneKey`. */
  readonly ones: Bounds = new Bounds();
  shared = false;

  constructor(agents: number) {
    this.whole = new Uint32Array(agents);
  }

  clone(): Clock {
    const copy = new Clock(0);
    copy.whole = this.whole.slice();
    copy.parts.join(this.parts, this.shared);
    copy.ones.join(this.ones, this.shared);
    return copy;
  }

  /**
   * The first stamp of the agent that is not covered: 0 of agents that it has heard nothing of, as
   * it is no longer than it needs.
   */
  bound(agent: number): number {
    const bound = this.whole[agent];
    return bound === undefined ? 0 : bound;
  }

  covers(who: Who, stamp: number): boolean {
    const agent = agentOf(who);
    if (stamp < this.bound(agent)) return true;
    return stamp < this.parts.get(who) || this.ones.get(oneKey(agent, stamp)) > 0;
  }

  /** Covers also all that `agent` did before `bound`. */
  raise(agent: number, bound: number): void {
    if (agent >= this.whole.length) this.#grow(agent + 1);
    if (numberAt(this.whole, agent) < bound) this.whole[agent] = bound;
  }

  /** Covers also what the thread did before `bound`. */
  raisePart(who: Who, bound: number): void {
    if (this.bound(agentOf(who)) < bound) this.parts.raise(who, bound);
  }

  /** Covers also one request. */
  raiseOne(agent: number, stamp: number): void {
    if (this.bound(agent) <= stamp) this.ones.raise(oneKey(agent, stamp), 1);
  }

  /** Covers also all that `other` covers. */
  join(other: Clock): void {
    if (other === this) return;
    const { whole } = other;
    if (whole.length > this.whole.length) this.#grow(whole.length);
    const own = this.whole;
    for (let i = 0; i < whole.length; i++) {
      const bound = numberAt(whole, i);
      if (bound > numberAt(own, i)) own[i] = bound;
    }
    this.parts.join(other.parts, other.shared);
    this.ones.join(other.ones, other.shared);
  }

  /** True if it covers all that `other` covers. */
  includes(other: Clock): boolean {
    return (
      other.whole.every((bound, agent) => bound <= this.bound(agent)) &&
      [...other.parts.entries()].every(([who, bound]) => bound === 0 || this.covers(who, bound - 1)) &&
      [...other.ones.entries().keys()].every((key) => this.covers(whoIs(agentOfKey(key), 0), stampOfKey(key)))
    );
  }

  /** Forgets what the agents' stamps say already. */
  prune(): void {
    this.parts.drop((who, bound) => this.bound(agentOf(who)) >= bound);
    this.ones.drop((key) => this.bound(agentOfKey(key)) > stampOfKey(key));
  }

  #grow(agents: number): void {
    // Clocks that join each other must come to the same length, and stay there.
    const wider = new Uint32Array((agents + 15) & -16);
    wider.set(this.whole);
    this.whole = wider;
  }
}

function oneKey(agent: number, stamp: number): number {
  return agent * 2 ** 32 + stamp;
}

function agentOfKey(key: number): number {
  return Math.floor(key / 2 ** 32);
}

function stampOfKey(key: number): number {
  return key % 2 ** 32;
}

/**
 * A thread's clock at one moment, as it is handed to others. The clocks in it are shared from then
 * on.
 */
export interface Snapshot {
  readonly base: Clock;
  readonly extra: Clock | undefined;
  /** The thread itself, and the first of its stamps that is not covered. */
  readonly who: Who;
  readonly bound: number;
  /** What a proxy fence has come after, on the way here. */
  readonly bridged?: Clock | undefined;
}

export function snapshotCovers({ base, extra, who, bound }: Snapshot, other: Who, stamp: number): boolean {
  return (other === who && stamp < bound) || base.covers(other, stamp) || (extra?.covers(other, stamp) ?? false);
}

/** One snapshot, of the thread of the first, that covers all that these cover. */
export function joinedSnapshot(first: Snapshot, ...others: readonly Snapshot[]): Snapshot {
  const base = new Clock(0);
  let bridged: Clock | undefined;
  for (const snapshot of [first, ...others]) {
    joinSnapshot(base, snapshot);
    if (snapshot.bridged !== undefined) (bridged ??= new Clock(0)).join(snapshot.bridged);
  }
  return { base, extra: undefined, who: first.who, bound: 0, bridged };
}

/** Joins all that a snapshot covers into `clock`. */
export function joinSnapshot(clock: Clock, { base, extra, who, bound }: Snapshot): void {
  clock.join(base);
  if (extra !== undefined) clock.join(extra);
  clock.raisePart(who, bound);
}
