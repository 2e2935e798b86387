import type { AccessScope } from '@nccl-ts/core';

/**
 * The width of a scope as a number, for comparisons. 0 means a plain access, which has no scope.
 */
export type ScopeWidth = 0 | 1 | 2 | 3 | 4 | 5;

export const PLAIN = 0;

const widths: Readonly<Record<AccessScope, ScopeWidth>> = Object.freeze({
  thread: 1,
  block: 2,
  cluster: 3,
  device: 4,
  system: 5,
});

/** The width of the widest scope. */
export const SYSTEM: ScopeWidth = 5;

export function scopeWidth(scope: AccessScope): ScopeWidth {
  return widths[scope];
}

const scopes: Readonly<Record<Exclude<ScopeWidth, 0>, AccessScope>> = Object.freeze({
  1: 'thread',
  2: 'block',
  3: 'cluster',
  4: 'device',
  5: 'system',
});

/** The scope of a width. `undefined` for a plain access. */
export function scopeOfWidth(width: ScopeWidth): AccessScope | undefined {
  return width === PLAIN ? undefined : scopes[width];
}

/** The position of a thread, which decides which threads its scopes include. */
export interface ThreadCoordinates {
  readonly rank: number;
  /**
   * A number that is unique among all CTAs of the world. The host and the network have their own
   * numbers.
   */
  readonly cta: number;
  readonly thread: number;
  /**
   * A number that the CTAs of one cluster share, and no others. Absent for a CTA that is a cluster
   * by itself.
   */
  readonly cluster?: number | undefined;
  /**
   * The memory synchronisation domain of its kernel. Device scope includes only kernels of the same
   * domain. Absent for hosts and the network, which have none.
   */
  readonly domain?: number | undefined;
}

/** True if a scope of `width` around `from` includes `to`. */
export function includes(width: ScopeWidth, from: ThreadCoordinates, to: ThreadCoordinates): boolean {
  switch (width) {
    case 0:
    case 1:
      return from.cta === to.cta && from.thread === to.thread;
    case 2:
      return from.cta === to.cta;
    case 3:
      return sharesCluster(from, to);
    case 4:
      return from.rank === to.rank && sharesDomain(from, to);
    case 5:
      return true;
  }
}

/** True if both are in one cluster. */
export function sharesCluster(
  a: Pick<ThreadCoordinates, 'cta' | 'cluster'>,
  b: Pick<ThreadCoordinates, 'cta' | 'cluster'>,
): boolean {
  return a.cta === b.cta || (a.cluster !== undefined && a.cluster === b.cluster);
}

/** True if the scopes of two accesses, of these widths and threads, include each other's thread. */
export function reachEachOther(
  width: ScopeWidth,
  by: ThreadCoordinates,
  otherWidth: ScopeWidth,
  other: ThreadCoordinates,
): boolean {
  return includes(width, by, other) && includes(otherWidth, other, by);
}

/** True if the memory synchronisation domains of the two allow device scope between them. */
export function sharesDomain(a: Pick<ThreadCoordinates, 'domain'>, b: Pick<ThreadCoordinates, 'domain'>): boolean {
  return a.domain === undefined || b.domain === undefined || a.domain === b.domain;
}

/** The scope width of a number in a table. */
export function widthOf(code: number): ScopeWidth {
  switch (code) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      return code;
    default:
      return 0;
  }
}
