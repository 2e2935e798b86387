import { at, WARP_SIZE } from '@nccl-ts/core';
import { isMember } from '../program/warp.ts';

/** A CTA whose threads arrive at named barriers. */
interface BarrierCta {
  readonly pcs: Int32Array;
  /** By thread: the barrier that it has reached, and the number of threads there (0 means all). */
  readonly meet_name: Float64Array;
  readonly meet_threads: Float64Array;
}

/**
 * Returns the threads at the barrier of `thread` if it is complete, and otherwise null. Threads at
 * `labels` have arrived. The threads of a warp that are at `aligned` labels must all be at the same
 * one. Threads at `gone` have returned.
 */
export function ctaAtBarrier(
  cta: BarrierCta,
  thread: number,
  labels: readonly number[],
  aligned: readonly number[],
  gone: number,
): readonly number[] | null {
  const { pcs, meet_name: names, meet_threads: threads } = cta;
  const name = names[thread];
  /** Adds the threads of a warp. Returns false if some that have not returned have not arrived. */
  const take = (first: number, members: number[]): boolean => {
    let place = gone;
    for (let t = first; t < first + WARP_SIZE && t < pcs.length; t++) {
      const pc = pcs[t] ?? gone;
      if (pc === gone) continue;
      if (!labels.includes(pc) || names[t] !== name) return false;
      if (place !== gone && place !== pc && (aligned.includes(place) || aligned.includes(pc))) return false;
      place = pc;
      members.push(t);
    }
    return true;
  };
  // Most threads arrive before the others of their warp.
  if (!take(thread - (thread % WARP_SIZE), [])) return null;
  const members: number[] = [];
  let [isWhole, warps] = [true, 0];
  for (let first = 0; first < pcs.length; first += WARP_SIZE) {
    const warp: number[] = [];
    if (!take(first, warp)) isWhole = false;
    else if (warp.length > 0) {
      warps++;
      members.push(...warp);
    }
  }
  const fits = members.every((t) => (threads[t] === 0 ? isWhole : threads[t] === warps * WARP_SIZE));
  return fits ? members : null;
}

/**
 * Like `ctaAtBarrier`, for lanes of a warp: those with the same mask as `thread`. Lanes that have
 * returned are not awaited.
 */
export function lanesAtBarrier(
  { pcs, meet_name: names }: BarrierCta,
  thread: number,
  labels: readonly number[],
  masks: Float64Array,
  gone: number,
): readonly number[] | null {
  const mask = at(masks, thread);
  const members: number[] = [];
  const first = thread - (thread % WARP_SIZE);
  for (let lane = 0; lane < WARP_SIZE && first + lane < pcs.length; lane++) {
    if (!isMember(mask, lane)) continue;
    const t = first + lane;
    if (pcs[t] === gone) continue;
    const isHere = labels.includes(pcs[t] ?? -1) && names[t] === names[thread] && masks[t] === mask;
    if (!isHere) return null;
    members.push(t);
  }
  return members;
}
