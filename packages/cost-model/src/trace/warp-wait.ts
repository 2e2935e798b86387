import type { WordChange } from './word-changes.ts';

/** A wait of a warp: of all of its lanes that wait at that site. */
export interface WarpWait {
  readonly site: number;
  /** The time at which it began. */
  readonly from: number;
  /** The time at which the last lane continued, and the change that ended its wait. */
  until: number;
  change: WordChange | undefined;
  /** True once a lane has continued. */
  isSeen: boolean;
  /** The number of changes that the first lane needed (`WaitEnd`). */
  needed: number;
  /** Warps of the CTA that have come to this wait before. */
  readonly earlier: number;
}

/** A wait that begins, which no lane has passed. */
export function waitFrom(site: number, from: number, earlier: number): WarpWait {
  return { site, from, until: from, change: undefined, isSeen: false, needed: 0, earlier };
}

/** A fence or release of a warp, or a barrier of several. */
export interface WarpSync {
  readonly kind: 'fence' | 'barrier';
  readonly site: number;
  readonly from: number;
  readonly until: number;
}
