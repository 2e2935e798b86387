import { Bounds } from './bounds.ts';
import { numberAt } from './number-at.ts';

/**
 * The maximum number of threads of an agent. A thread has the number `agent * AGENT_THREADS +
 * thread`.
 */
export const AGENT_THREADS = 1024;

/** The number of a thread, or of an agent that is one thread: 32 bits. */
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
 * The events that are ordered before a point. For each agent, it covers everything that the agent's
 * threads did before a *stamp*. It may cover more of single threads, and single requests of the
 * network's queues.
 *
 * A stamp counts for a whole agent, and grows whenever one of its threads publishes something. So a
 * clock has a number for each agent and not for each thread. A shared clock must not change, and
 * `shared` marks it.
 */
export class Clock {
  /** By agent: the first stamp that the clock does not cover. */
  whole: Uint32Array;
  /**
   * By thread: the first stamp that the clock does not cover, if that is later than the agent's.
   */
  readonly parts: Bounds = new Bounds();
  /**
   * Single requests of queues, and writes that were read without acquiring. Each has the value 1
   * under its `oneKey`.
   */
  readonly ones: Bounds = new Bounds();
  /**
   * If the order of GPUs counts: loads that are over at this point, though the memory model does
   * not order them before it.
   */
  over: Clock | undefined;
  shared = false;

  constructor(agents: number) {
    this.whole = new Uint32Array(agents);
  }

  clone(): Clock {
    const copy = new Clock(0);
    copy.whole = this.whole.slice();
    copy.parts.join(this.parts, this.shared);
    copy.ones.join(this.ones, this.shared);
    copy.over = this.over?.clone();
    return copy;
  }

  /**
   * The first stamp of the agent that is not covered. It is 0 for agents beyond the end of the
   * array.
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

  /** Extends the clock to everything that `agent` did before `bound`. */
  raise(agent: number, bound: number): void {
    if (agent >= this.whole.length) this.#grow(agent + 1);
    if (numberAt(this.whole, agent) < bound) this.whole[agent] = bound;
  }

  /** Extends the clock to everything that the thread did before `bound`. */
  raisePart(who: Who, bound: number): void {
    if (this.bound(agentOf(who)) < bound) this.parts.raise(who, bound);
  }

  /** Extends the clock to one request. */
  raiseOne(agent: number, stamp: number): void {
    if (this.bound(agent) <= stamp) this.ones.raise(oneKey(agent, stamp), 1);
  }

  /** Extends the clock to everything that `other` covers. */
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
    if (other.over === undefined) return;
    other.over.shared ||= other.shared;
    this.isAfterOver(other.over);
  }

  /** Adds loads that are over at this point. */
  isAfterOver(loads: Clock): void {
    (this.over ??= new Clock(0)).join(loads);
  }

  /** Makes the clock cover the loads that are over. */
  coversOver(): void {
    const loads = this.over;
    this.over = undefined;
    if (loads === undefined) return;
    // No one else has it, so that its entries need not be copied.
    loads.shared = true;
    this.join(loads);
  }

  /**
   * True if other clocks together cover everything that this one covers. `covers` says which events
   * of single threads they cover; it may accept more than the clocks do.
   */
  isWithin(
    clocks: readonly Clock[],
    covers = (who: Who, stamp: number): boolean => clocks.some((one) => one.covers(who, stamp)),
  ): boolean {
    if (clocks.includes(this)) return true;
    return (
      this.whole.every((bound, agent) => bound === 0 || clocks.some((one) => bound <= one.bound(agent))) &&
      this.parts.every(
        (who, bound) => bound === 0 || covers(who, bound - 1),
        clocks.map(({ parts }) => parts),
      ) &&
      this.ones.every(
        (key) => covers(whoIs(agentOfKey(key), 0), stampOfKey(key)),
        clocks.map(({ ones }) => ones),
      )
    );
  }

  /** Drops entries that the agents' stamps already cover. */
  prune(): void {
    this.parts.drop((who, bound) => this.bound(agentOf(who)) >= bound);
    this.ones.drop((key) => this.bound(agentOfKey(key)) > stampOfKey(key));
  }

  #grow(agents: number): void {
    // Clocks that join each other must reach the same length and keep it.
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

/** True if both are the same clock, and it no longer changes. */
export function isSameShared(a: Clock | undefined, b: Clock | undefined): boolean {
  return a === b && (a === undefined || a.shared);
}
