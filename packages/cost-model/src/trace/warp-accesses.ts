import { WARP_SIZE } from '@nccl-ts/core';
import type { CostModel } from '../cost-model.ts';
import type { CtaShare } from './launch-use.ts';
import { i32At } from './typed-items.ts';
import type { WarpSync, WarpWait } from './warp-wait.ts';

/** The launch that a CTA belongs to, as its warps need it. */
export interface WarpSurroundings {
  readonly cost: CostModel;
  /** Threads of a CTA. */
  readonly threads: number;
  readonly share: CtaShare;
  /** Nanoseconds of the instructions before the access or wait at a site. */
  readonly issueAt: (site: number) => number;
  /** Called for each fence, release and barrier that takes time. */
  readonly synced: (sync: WarpSync) => void;
}

/**
 * The accesses of a warp since the last synchronization of its CTA. Each is timed once for all
 * lanes.
 */
export interface WarpAccesses {
  readonly sites: number[];
  readonly times: number[];
  /** The bytes that lanes have moved so far in each access. The bytes of later lanes follow. */
  readonly bytes: number[];
  /** The trips of loads; 0 for other accesses. */
  readonly trips: number[];
  readonly waits: (WarpWait | undefined)[];
}

/** No access yet. */
export function noAccesses(): WarpAccesses {
  return { sites: [], times: [], bytes: [], trips: [], waits: [] };
}

/** An access of a warp. */
export interface WarpAccess {
  readonly site: number;
  readonly time: number;
  readonly bytes: number;
  readonly trip: number;
  readonly wait: WarpWait | undefined;
}

/** The index of the first access at a site from `next` on, or -1. */
export function indexOfAccess(accesses: WarpAccesses | undefined, next: number, site: number): number {
  if (accesses === undefined || next >= accesses.sites.length) return -1;
  return accesses.sites[next] === site ? next : accesses.sites.indexOf(site, next + 1);
}

/**
 * Puts an access of a thread among those of its warp. `next` has the place of each thread, and
 * follows.
 */
export function insertAccess(
  accesses: WarpAccesses,
  { site, time, bytes, trip, wait }: WarpAccess,
  next: Int32Array,
  thread: number,
): void {
  const at = i32At(next, thread);
  const first = thread - (thread % WARP_SIZE);
  for (let lane = first; lane < Math.min(first + WARP_SIZE, next.length); lane++) {
    if (lane === thread || i32At(next, lane) > at) next[lane] = i32At(next, lane) + 1;
  }
  accesses.sites.splice(at, 0, site);
  accesses.times.splice(at, 0, time);
  accesses.bytes.splice(at, 0, bytes);
  accesses.trips.splice(at, 0, trip);
  accesses.waits.splice(at, 0, wait);
}

/**
 * Adds an access that no lane has made. A lane may leave out loads, such as those of lanes with
 * more elements. If it leaves out others, it has parted from the lanes before it, and its access
 * is put at its place. Returns true then.
 */
export function keepAccess(accesses: WarpAccesses, access: WarpAccess, next: Int32Array, thread: number): boolean {
  const isParted = accesses.trips.includes(0, i32At(next, thread));
  if (!isParted) next[thread] = accesses.sites.length;
  insertAccess(accesses, access, next, thread);
  return isParted;
}

/** The call site that any fence has among a warp's accesses. */
export const FENCE = -2;

/** The same of a synchronization of a cluster. */
export const CLUSTER = -3;

export function missing(access: number): never {
  throw new RangeError(`A warp has no access ${access}.`);
}
