import type { MemoryScope } from '@nccl-ts/core';

/** The width of a scope, for comparing: 0 means a plain access, which has none. */
export type ScopeWidth = 0 | 1 | 2 | 3 | 4;

export const PLAIN = 0;

const widths: Readonly<Record<MemoryScope, ScopeWidth>> = Object.freeze({ thread: 1, block: 2, device: 3, system: 4 });

export function scopeWidth(scope: MemoryScope): ScopeWidth {
  return widths[scope];
}

const scopes: Readonly<Record<Exclude<ScopeWidth, 0>, MemoryScope>> = Object.freeze({
  1: 'thread',
  2: 'block',
  3: 'device',
  4: 'system',
});

/** The scope of a width; `undefined` for a plain access. */
export function scopeOfWidth(width: ScopeWidth): MemoryScope | undefined {
  return width === PLAIN ? undefined : scopes[width];
}

/** The position of a thread, which decides whom its scopes reach. */
export interface Place {
  readonly rank: number;
  /** Unique among all CTAs of the world; the host and the network have numbers of their own. */
  readonly cta: number;
  readonly thread: number;
  /**
   * The memory synchronisation domain of its kernel: device scope reaches only kernels of the same
   * one. Absent for hosts and the network, which have none: a device scope makes no difference
   * there.
   */
  readonly domain?: number | undefined;
}

/** True if a scope of `width` around `from` includes `to`. */
export function includes(width: ScopeWidth, from: Place, to: Place): boolean {
  switch (width) {
    case 0:
    case 1:
      return from.cta === to.cta && from.thread === to.thread;
    case 2:
      return from.cta === to.cta;
    case 3:
      return from.rank === to.rank && sharesDomain(from, to);
    case 4:
      return true;
  }
}

/**
 * True if device scope is enough between the two, as far as memory synchronisation domains are
 * concerned.
 */
export function sharesDomain(a: Pick<Place, 'domain'>, b: Pick<Place, 'domain'>): boolean {
  return a.domain === undefined || b.domain === undefined || a.domain === b.domain;
}

/** The width of a number in a table. */
export function widthOf(code: number): ScopeWidth {
  switch (code) {
    case 1:
    case 2:
    case 3:
    case 4:
      return code;
    default:
      return 0;
  }
}
