import { ALL_LANES, WARP_SIZE } from '@nccl-ts/core';
import { absentLaneFidelity } from '@nccl-ts/ir';
import type { CtaWatch, ProgramHost } from '../program/program.ts';
import { ctaAtBarrier, lanesAtBarrier } from './support-barriers.ts';
import { stuckThreads } from './support-waiting.ts';
import type { RunningCta } from './running-cta.ts';
import { noMemberText } from '../program/lane-text.ts';
import { isMember } from '../program/warp.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';

/** `watch` is absent where nothing is checked. */
type WatchedCta = RunningCta & { readonly watch?: Pick<CtaWatch, 'approximates'> };

type Numbers = { readonly [index: number]: number; readonly length: number };

/**
 * Exchanges within groups of threads. A group has `count` threads, starting at `base`. Bit `i` of
 * `mask` is set if thread `base + i` is a member.
 */
export function groups(host: ProgramHost): SupportFunctions {
  return {
    ballot: (votes: Numbers, base: number, count: number, mask: number): number => {
      let result = 0;
      for (let i = 0; i < count; i++) if (isMember(mask, i) && votes[base + i] !== 0) result |= 1 << i;
      return result >>> 0;
    },
    any: (votes: Numbers, base: number, count: number, mask: number): boolean => {
      for (let i = 0; i < count; i++) if (isMember(mask, i) && votes[base + i] !== 0) return true;
      return false;
    },
    all: (votes: Numbers, base: number, count: number, mask: number): boolean => {
      for (let i = 0; i < count; i++) if (isMember(mask, i) && votes[base + i] === 0) return false;
      return true;
    },
    /** The same votes, of threads that have met. */
    ballotOf: (votes: Numbers, base: number, members: readonly number[]): number => {
      let result = 0;
      for (const m of members) if (votes[m] !== 0) result |= 1 << (m - base);
      return result >>> 0;
    },
    anyOf: (votes: Numbers, members: readonly number[]): boolean => members.some((m) => votes[m] !== 0),
    allOf: (votes: Numbers, members: readonly number[]): boolean => members.every((m) => votes[m] !== 0),
    /** The lanes of threads of one warp. */
    lanesOf: (members: readonly number[]): number =>
      members.reduce((mask, m) => mask | (1 << (m & (WARP_SIZE - 1))), 0),
    /**
     * Returns the thread whose value `thread` takes. That is itself if `source` takes no part: then
     * a GPU gives no defined value.
     */
    takenFrom: (
      cta: WatchedCta,
      site: number,
      thread: number,
      source: number,
      threads: number,
      lanes: number,
    ): number => {
      if (source < threads && isMember(lanes, source & (WARP_SIZE - 1))) return source;
      cta.watch?.approximates(site, absentLaneFidelity.how);
      return thread;
    },
    /** Returns the thread that is member number `lane` of the group. */
    memberAt: (
      cta: RunningCta,
      thread: number,
      site: number,
      lane: number,
      base: number,
      count: number,
      mask: number,
    ): number => {
      let before = 0;
      for (let i = 0; i < count; i++) {
        if (!isMember(mask, i)) continue;
        if (before === lane) return base + i;
        before++;
      }
      return host.fault(cta.identity, {
        kind: 'lane',
        site,
        thread,
        message: noMemberText(lane, before),
      });
    },
    shfl: (thread: number, lane: number, size: number): number => (thread & -size) + (lane & (size - 1)),
    shflUp: (thread: number, distance: number, size: number): number =>
      distance > (thread & (size - 1)) ? thread : thread - distance,
    shflDown: (thread: number, distance: number, size: number): number =>
      (thread & (size - 1)) + distance >= size ? thread : thread + distance,
    shflXor: (thread: number, mask: number, size: number): number =>
      mask >= size ? thread : (thread & -size) + ((thread & (size - 1)) ^ mask),
    warpMask: (thread: number, threads: number): number => {
      const lanes = threads - (thread & -WARP_SIZE);
      return lanes >= WARP_SIZE ? ALL_LANES : (1 << lanes) - 1;
    },
    /**
     * Returns the members of a group if all of them have arrived at `label`, and otherwise null.
     * Threads at `gone` do not count. With `same`, members must also have passed the same mask.
     */
    arrived: (
      pcs: Int32Array,
      label: number,
      gone: number,
      base: number,
      count: number,
      mask: number,
      same: Float64Array | null,
    ): number[] | null => {
      // Threads run in ascending order, so a search from the end finds a missing thread soonest.
      for (let i = count - 1; i >= 0; i--) {
        if (mask !== -1 && !isMember(mask, i)) continue;
        const pc = pcs[base + i];
        if (pc !== gone && (pc !== label || (same !== null && same[base + i] !== mask))) return null;
      }
      const members: number[] = [];
      for (let i = 0; i < count; i++) {
        if ((mask === -1 || isMember(mask, i)) && pcs[base + i] !== gone) members.push(base + i);
      }
      return members;
    },
    /**
     * Returns the index of a thread in its group, and the size of the group, whether the others
     * have arrived or not.
     */
    placeIn: (
      thread: number,
      base: number,
      count: number,
      mask: number,
    ): { readonly rank: number; readonly size: number } => {
      let [rank, size] = [0, 0];
      for (let i = 0; i < count; i++) {
        if (!isMember(mask, i)) continue;
        if (base + i < thread) rank++;
        size++;
      }
      return { rank, size };
    },
    ctaAtBarrier,
    lanesAtBarrier,
    stuckThreads,
    liveThreads: (cta: RunningCta, threads: number): number[] =>
      Array.from({ length: threads }, (_, t) => t).filter((t) => cta.dead === undefined || cta.dead[t] === 0),
    /**
     * Describes the wait of a stuck `waitAll`: the indices that have not held, and the words of the
     * first.
     */
    unlatched: (
      latch: Uint8Array,
      explain: (index: number) => { readonly words: unknown; readonly needed: string },
    ): object => {
      const indices = [...latch.keys()].filter((i) => latch[i] === 0);
      return { indices, ...explain(indices[0] ?? 0) };
    },
  };
}
