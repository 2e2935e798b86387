import { ALL_LANES, WARP_SIZE } from '@nccl-ts/core';
import { constant, type Coop } from '@nccl-ts/ir';
import type { BarrierContribution } from '@nccl-ts/memory-model';
import { missingText, type ReachedBarrier } from '@nccl-ts/codegen';
import type { CtaState } from './cta-state.ts';
import { lift, type LaterScalar } from './element.ts';

const allLanes: Coop = Object.freeze({ kind: 'lanes', mask: constant('u32', ALL_LANES) });

/** A thread's arrival at a named barrier. */
export interface BarrierArrival extends ReachedBarrier {
  readonly thread: number;
  readonly site: number;
  readonly isAligned: boolean;
  readonly vote?: LaterScalar;
}

/** The number of votes of threads that have completed a barrier together. */
export function countVotes(given: readonly unknown[]): LaterScalar {
  const votes = given.filter(isArrival).flatMap(({ vote }) => (vote === undefined ? [] : [vote]));
  return lift(votes, (values) => values.filter((value) => value === true).length);
}

/** The part of a meeting that determines which threads must arrive. */
type Meets = Pick<BarrierContribution, 'group' | 'size' | 'index' | 'give' | 'completes' | 'isLate' | 'needed'>;

/** The meeting at a named barrier. `inputs` are the values of the group's expressions. */
export function barrierMeeting(cta: CtaState, coop: Coop, inputs: readonly number[], arrival: BarrierArrival): Meets {
  const { thread, name, threads } = arrival;
  if (coop.kind !== 'cta') {
    // A warp has the key of all its lanes, so that both forms match.
    const lanes = coop.kind === 'tile' ? [ALL_LANES] : inputs;
    const { key, members } = cta.group(allLanes, thread, lanes);
    return {
      group: `${key} barrier ${name}`,
      size: () => cta.aliveOf(members),
      index: members.indexOf(thread),
      give: arrival,
      needed: (given) => missingText(cta.aliveOf(members) - given.length, coop.kind === 'tile' ? 'warp' : 'lanes'),
    };
  }
  return {
    group: `${cta.number} cta barrier ${name}`,
    // Whole warps count, so the number of threads that will arrive is not known in advance.
    size: threads === 0 ? () => cta.alive : 1,
    index: thread,
    give: arrival,
    completes: (given) => completionsOf(cta, given),
    // Another warp may come, and be one too many or the first.
    isLate: threads > 0 && threads < cta.threads,
    needed: (given) =>
      threads === 0
        ? missingText(cta.alive - given.length, 'CTA', arrival)
        : missingText(threads - wholeWarps(cta, given).length * WARP_SIZE, 'CTA', arrival),
  };
}

/**
 * The ways in which these arrivals, by thread of the CTA, complete a barrier. A warp has not
 * arrived before all of its threads have, and at the same instruction if that is aligned.
 *
 * @see PTX ISA, 9.7.13.1: a thread waits "for all non-exited threads from its warp", and then its
 * warp has arrived.
 */
function completionsOf(cta: CtaState, given: readonly unknown[]): readonly (readonly number[])[] {
  const warps = wholeWarps(cta, given).filter(isTogether);
  const counts = new Set(warps.flat().map(({ threads }) => threads));
  const [count] = counts;
  if (counts.size === 2 && counts.has(0)) {
    // Those without a number need all of the CTA.
    const there = warps.flat();
    return there.length === cta.alive && counts.has(warps.length * WARP_SIZE)
      ? [there.map(({ thread }) => thread)]
      : [];
  }
  if (count === undefined || counts.size > 1) return [];
  const isOfAll = count === 0 && warps.flat().length === cta.alive;
  if (count === 0 && !isOfAll) return [];
  return someOf(warps, isOfAll ? warps.length : count / WARP_SIZE).map((chosen) =>
    chosen.flat().map(({ thread }) => thread),
  );
}

/** All choices of `count` items, in their order. */
function someOf<T>(items: readonly T[], count: number): readonly (readonly T[])[] {
  if (count === 0) return [[]];
  const [first, ...rest] = items;
  if (first === undefined || count > items.length) return [];
  return [...someOf(rest, count - 1).map((others) => [first, ...others]), ...someOf(rest, count)];
}

/** The arrivals of each warp of which all threads that have not ended have arrived. */
function wholeWarps(cta: CtaState, given: readonly unknown[]): readonly (readonly BarrierArrival[])[] {
  const warps = new Map<number, BarrierArrival[]>();
  for (const arrival of given.filter(isArrival)) {
    const warp = Math.floor(arrival.thread / WARP_SIZE);
    warps.set(warp, [...(warps.get(warp) ?? []), arrival]);
  }
  return [...warps].flatMap(([warp, arrivals]) =>
    arrivals.length === cta.aliveIn(warp * WARP_SIZE, WARP_SIZE) ? [arrivals] : [],
  );
}

function isTogether(arrivals: readonly BarrierArrival[]): boolean {
  return arrivals.every(({ site, isAligned }) => !isAligned || arrivals.every((other) => other.site === site));
}

function isArrival(given: unknown): given is BarrierArrival {
  return typeof given === 'object' && given !== null && 'isAligned' in given;
}
