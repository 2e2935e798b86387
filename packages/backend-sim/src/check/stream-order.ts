import { Clock, whoIs, type Agent } from '@nccl-ts/memory-model';
import type { Launch } from '../engine/launch.ts';

/** The agents that stand for the CTAs of a launch, by their linear index. */
export interface AgentList {
  readonly domain: number;
  readonly agents: (Agent | undefined)[];
  /** Launches that run with them: 0 or 1. */
  launches: number;
}

/** A launch among those of its stream. */
export interface OrderedLaunch {
  /** What comes before its first access. */
  readonly begin: Clock;
  /** What comes before whatever follows it on its stream. */
  readonly end: Clock;
  readonly list: AgentList;
  /** Of a launch that may begin early: what comes before whoever has waited for the launch before it. */
  readonly dependency: Clock | undefined;
}

/**
 * The launches of one stream, in their order. One that may begin early comes after what the one before it came after, and no more: a
 * launch without that leave comes after the end of the one before it. So what a launch has not waited for is not ordered before
 * those behind it either.
 */
export class StreamOrder {
  /** All that has ended. */
  readonly over: Clock = new Clock(0);
  readonly #lists: AgentList[] = [];
  #last: OrderedLaunch | undefined;

  begins(launch: Launch, enqueued: Clock): OrderedLaunch {
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

  /** Threads of one agent follow each other: so nobody else may come after what its agents did before. */
  #listFor({ domain }: Launch, begin: Clock): AgentList {
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
