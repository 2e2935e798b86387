import type { CostModel } from '../cost-model.ts';
import type { CtaShare } from './launch-use.ts';
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

/** Puts an access among those of a warp. */
export function insertAccess(accesses: WarpAccesses, at: number, { site, time, bytes, trip, wait }: WarpAccess): void {
  accesses.sites.splice(at, 0, site);
  accesses.times.splice(at, 0, time);
  accesses.bytes.splice(at, 0, bytes);
  accesses.trips.splice(at, 0, trip);
  accesses.waits.splice(at, 0, wait);
}

/** Adds an access to those of a warp. */
export function addAccess(accesses: WarpAccesses, { site, time, bytes, trip, wait }: WarpAccess): void {
  accesses.sites.push(site);
  accesses.times.push(time);
  accesses.bytes.push(bytes);
  accesses.trips.push(trip);
  accesses.waits.push(wait);
}

/** The call site that any fence has among a warp's accesses. */
export const FENCE = -2;

/** The same of a synchronization of a cluster. */
export const CLUSTER = -3;

export function missing(access: number): never {
  throw new RangeError(`A warp has no access ${access}.`);
}
