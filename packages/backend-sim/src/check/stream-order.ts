import { agentOf, Clock, whoIs, type Agent, type GroupClocks, type Snapshot } from '@nccl-ts/memory-model';
import type { SimLaunch } from '../engine/launch.ts';

/** The agents for the CTAs of a launch, by linear index. */
export interface AgentList {
  readonly domain: number;
  readonly agents: (Agent | undefined)[];
  /** The number of launches that run with them: 0 or 1. */
  launches: number;
}

/** A launch within its stream. */
export interface OrderedLaunch {
  /** The clock before its first access. */
  readonly begin: Clock;
  /** The clock for later launches on its stream. */
  readonly end: Clock;
  readonly list: AgentList;
  /**
   * For a launch that may begin early: the clock of threads that have waited for the previous
   * launch.
   */
  readonly dependency: Clock | undefined;
}

/** A running launch, as the checker sees it. */
export interface RunningLaunch {
  readonly siteBase: number;
  /** The number of its sites. */
  readonly sites: number;
  readonly ordered: OrderedLaunch;
  readonly open: Set<GroupClocks>;
}

/**
 * The launches of one stream, in order. A launch that may begin early comes only after the
 * predecessors of the previous one. Any other launch comes after the end of the previous one. So if
 * a launch was not waited for, later launches are not ordered after it either.
 */
export class StreamOrder {
  /** The clock of everything that has ended. */
  readonly over: Clock = new Clock(0);
  readonly #lists: AgentList[] = [];
  #last: OrderedLaunch | undefined;

  begins(launch: SimLaunch, enqueued: Clock): OrderedLaunch {
    const last = this.#last;
    const isEarly = launch.mayBeginEarly;
    const begin = enqueued.clone();
    const before = isEarly ? last?.begin : last?.end;
    if (before !== undefined) begin.join(before);
    const list = this.#listFor(launch, begin);
    list.launches++;
    const dependency = isEarly ? last?.end : undefined;
    this.#last = { begin, end: begin.clone(), list, dependency };
    return this.#last;
  }

  ends({ end, list }: OrderedLaunch): void {
    list.launches--;
    this.over.join(end);
  }

  /**
   * The launches of one agent's threads must be ordered, so no other launch may come after earlier
   * actions of its agents.
   */
  #listFor({ domain }: SimLaunch, begin: Clock): AgentList {
    const known = this.#lists.findLast(
      (list) => list.domain === domain && list.launches === 0 && list.agents.every((agent) => isBefore(agent, begin)),
    );
    if (known !== undefined) return known;
    const list = { domain, agents: [], launches: 0 };
    this.#lists.push(list);
    return list;
  }
}

function isBefore(agent: Agent | undefined, clock: Clock): boolean {
  return agent === undefined || agent.stamp <= 1 || clock.covers(whoIs(agent.index, 0), agent.stamp - 1);
}

/** The host's clock at the time when it enqueued a launch. */
export function enqueuedClock(enqueued: Snapshot | undefined): Clock {
  const clock = new Clock(0);
  if (enqueued === undefined) return clock;
  clock.join(enqueued.base);
  if (enqueued.extra !== undefined) clock.join(enqueued.extra);
  // A host is a single thread.
  clock.raise(agentOf(enqueued.who), enqueued.bound);
  return clock;
}
