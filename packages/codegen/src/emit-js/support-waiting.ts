import { WARP_SIZE } from '@nccl-ts/core';
import type { WaitedWord, Waiting } from '@nccl-ts/findings';
import { missingText, type ReachedBarrier } from '../program/meeting-text.ts';
import { isMember } from '../program/warp.ts';

/** A CTA with a program counter for each thread. */
export interface ThreadCta {
  readonly pcs: Int32Array;
  readonly latches?: readonly (Uint8Array | null)[];
  readonly meet_count?: Float64Array;
}

interface Explanation {
  readonly words: readonly WaitedWord[];
  readonly needed: string;
}

/** A group of threads that synchronize, as one of them sees it. */
interface WaitingGroup {
  /** The first thread, the number of threads, and a bit for each of the first 32. */
  readonly threads: readonly [base: number, count: number, mask: number];
  readonly name: string;
  /** The program counter of threads that do not count. */
  readonly gone: number;
  /** True if a thread has arrived. If absent, a thread has arrived if it is at this stop. */
  readonly isHere?: (thread: number) => boolean;
  readonly barrier?: ReachedBarrier;
}

/** A point where threads stop, as generated code describes it. */
export interface StopPoint {
  readonly label: number;
  readonly site: number;
  readonly kind: Waiting['kind'];
  readonly explain: ((cta: ThreadCta, thread: number, index?: number) => Explanation) | null;
  readonly others: ((cta: ThreadCta, thread: number) => WaitingGroup) | null;
}

/** Returns all stopped threads of `cta`, by stop and, if they synchronize, by group. */
export function stuckThreads(cta: ThreadCta, stops: readonly StopPoint[]): readonly Waiting[] {
  return stops.flatMap((stop) => {
    const threads = [...cta.pcs.keys()].filter((t) => cta.pcs[t] === stop.label);
    return stop.others === null ? atWait(cta, stop, threads) : byGroup(cta, stop, stop.others, threads);
  });
}

function atWait(cta: ThreadCta, stop: StopPoint, threads: readonly number[]): readonly Waiting[] {
  const [first] = threads;
  if (first === undefined || stop.explain === null) return [];
  // These threads wait together, but each for its own words. Threads that wait for the same words
  // are reported as one.
  const groups = new Map<string, { readonly threads: number[]; readonly explanation: Explanation }>();
  for (const thread of threads) {
    const explanation = stop.explain(cta, thread);
    const key = JSON.stringify([explanation.needed, explanation.words.map((word) => [word.space, word.address])]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { threads: [thread], explanation });
    else known.threads.push(thread);
  }
  return [...groups.values()].map(({ threads: together, explanation }) => ({
    site: stop.site,
    kind: stop.kind,
    threads: together,
    ...explanation,
  }));
}

function byGroup(
  cta: ThreadCta,
  stop: StopPoint,
  others: NonNullable<StopPoint['others']>,
  threads: readonly number[],
): readonly Waiting[] {
  const groups = new Map<string, { readonly threads: number[]; readonly group: WaitingGroup }>();
  for (const thread of threads) {
    const group = others(cta, thread);
    const key = [...group.threads, group.barrier?.name, group.barrier?.threads].join();
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { threads: [thread], group });
    else known.threads.push(thread);
  }
  return [...groups.values()].map(({ threads: together, group }) => atMeeting(cta, stop, together, group));
}

function atMeeting(cta: ThreadCta, stop: StopPoint, threads: readonly number[], group: WaitingGroup): Waiting {
  const { name, gone, barrier } = group;
  const [base, count, mask] = group.threads;
  const { site, kind } = stop;
  const isHere = group.isHere ?? ((thread): boolean => threads.includes(thread));
  let missing = 0;
  for (let i = 0; i < count; i++) {
    if (isMember(mask, i) && cta.pcs[base + i] !== gone && !isHere(base + i)) missing++;
  }
  const leader = threads[0] ?? 0;
  if (missing > 0 || stop.explain === null) {
    const needed = missingText(barrier === undefined ? missing : lacking(cta, group, missing), name, barrier);
    return { site, kind, threads, words: [], needed };
  }
  const latch = cta.latches?.[leader] ?? new Uint8Array(cta.meet_count?.[leader] ?? 0);
  const indices = [...latch.keys()].filter((i) => latch[i] === 0);
  const first = indices[0] ?? 0;
  const explanation = stop.explain(cta, threads[first % threads.length] ?? leader, first);
  return { site, kind, threads, indices, ...explanation };
}

/** Returns the number of threads that a barrier lacks. Whole warps count. */
function lacking(cta: ThreadCta, { gone, isHere, barrier }: WaitingGroup, missing: number): number {
  if (barrier === undefined || barrier.threads === 0) return missing;
  let there = 0;
  for (let first = 0; first < cta.pcs.length; first += WARP_SIZE) {
    const warp = [...cta.pcs.subarray(first, first + WARP_SIZE).keys()].map((i) => first + i);
    const live = warp.filter((thread) => cta.pcs[thread] !== gone);
    if (live.length > 0 && live.every((thread) => isHere?.(thread) === true)) there += WARP_SIZE;
  }
  return barrier.threads - there;
}
