import { constant, type Coop } from '@nccl-ts/ir';
import type { Meeting } from '@nccl-ts/memory-model';
import { missingText, type ReachedBarrier } from '../meeting-text.ts';
import { ALL_LANES, WARP } from '../warp.ts';
import type { CtaState } from './cta-state.ts';

const allLanes: Coop = Object.freeze({ kind: 'lanes', mask: constant('u32', ALL_LANES) });

/** A thread's arrival at a named barrier. */
export interface BarrierArrival extends ReachedBarrier {
  readonly thread: number;
  readonly site: number;
  readonly isAligned: boolean;
}

/** The part of a meeting that determines which threads must arrive. */
type Meets = Pick<Meeting, 'group' | 'size' | 'index' | 'give' | 'fits' | 'needed'>;

/** The meeting at a named barrier. `inputs` are the values of the group's expressions. */
export function barrierMeeting(cta: CtaState, coop: Coop, inputs: readonly number[], arrival: BarrierArrival): Meets {
  const { thread, name, threads } = arrival;
  if (coop.kind !== 'cta') {
    // A warp has the key of all its lanes, so that both forms match.
    const lanes = coop.kind === 'tile' ? [ALL_LANES] : inputs;
    const { key, members } = cta.group(allLanes, thread, lanes);
    return {
      group: `${key} barrier ${name}`,
      size: members.length,
      index: members.indexOf(thread),
      give: arrival,
      needed: (there) => missingText(members.length - there, coop.kind === 'tile' ? 'warp' : 'lanes'),
    };
  }
  return {
    group: `${cta.number} cta barrier ${name}`,
    // Whole warps count, so the number of threads that will arrive is not known in advance.
    size: threads === 0 ? () => cta.alive : 1,
    index: thread,
    give: arrival,
    fits: (given) => isComplete(cta, given),
    needed: (there) =>
      threads === 0
        ? missingText(cta.alive - there, 'CTA', arrival)
        : missingText(threads - Math.ceil(there / WARP) * WARP, 'CTA', arrival),
  };
}

/** True if these arrivals complete a barrier. `given` maps threads of the CTA to arrivals. */
function isComplete(cta: CtaState, given: readonly unknown[]): boolean {
  const warps = new Map<number, BarrierArrival[]>();
  for (const arrival of given.filter(isArrival)) {
    const warp = Math.floor(arrival.thread / WARP);
    warps.set(warp, [...(warps.get(warp) ?? []), arrival]);
  }
  let there = 0;
  for (const [warp, arrivals] of warps) {
    if (arrivals.length !== cta.aliveIn(warp * WARP, WARP)) return false;
    const isTogether = arrivals.every(({ site }) => site === arrivals[0]?.site);
    if (!isTogether && arrivals.some(({ isAligned }) => isAligned)) return false;
    there += arrivals.length;
  }
  const isWhole = there === cta.alive;
  return [...warps.values()].flat().every(({ threads }) => (threads === 0 ? isWhole : threads === warps.size * WARP));
}

function isArrival(given: unknown): given is BarrierArrival {
  return typeof given === 'object' && given !== null && 'isAligned' in given;
}
