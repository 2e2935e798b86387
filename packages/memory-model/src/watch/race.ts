import type { Agent } from './agent.ts';
import type { EpochId } from './epochs.ts';
import type { Who } from './clock.ts';

/** One of two accesses, as far as it was recorded. */
export interface SeenAccess {
  readonly who: Who;
  readonly stamp: number;
  /** The number of the source location in the kernel. */
  readonly site: number;
}

/** The synchronization that would have ordered two accesses. */
export interface Missing {
  readonly reason:
    | 'release'
    | 'acquire'
    | 'scope'
    | 'coop-sync'
    | 'strong'
    | 'completion'
    | 'overwrite'
    | 'synchronisation'
    | 'proxy';
  /** The access that is too weak, or the access of the thread that synchronized. */
  readonly at?: SeenAccess | undefined;
}

/** Two accesses to the same bytes that nothing orders, one of them a write. */
export interface Race {
  readonly kind: 'race';
  readonly now: SeenAccess;
  readonly before: SeenAccess;
  readonly beforeId: EpochId;
  /** The byte address in a memory. `undefined` memory is the heap. */
  readonly address: number;
  readonly bytes: number;
  /**
   * The nearest first. Empty if the listener already received the two source locations, because the
   * first report has it.
   */
  readonly missing: readonly Missing[];
  /**
   * True if another access is ordered before `now`. Present with the first report of two source
   * locations, and valid until its listener returns.
   */
  readonly follows?: (other: SeenAccess) => boolean;
}

/** A read of bytes that were never written, or by a wait that may begin before they are. */
export interface UninitialisedRead {
  readonly kind: 'uninitialised';
  readonly now: SeenAccess;
  /** The first write of the bytes, if there was one that is not ordered before the wait. */
  readonly before?: SeenAccess;
  readonly address: number;
  readonly bytes: number;
}

/** Accesses to the same bytes through two proxies, without a proxy fence between them. */
export interface ProxyMix {
  readonly kind: 'proxy';
  /**
   * `alias`: one access uses a multicast address. `async`: one is by a bulk copy and the other by a
   * thread. `fabric`: one is by an operation of a logical endpoint, and the other by a thread or
   * another operation.
   */
  readonly proxy: 'alias' | 'async' | 'fabric';
  readonly now: SeenAccess;
  readonly before: SeenAccess;
  readonly address: number;
  readonly bytes: number;
}

/** The proxy that two agents of these kinds do not share. `isGlobal` is true for global memory. */
export function proxyOf(kinds: readonly Agent['kind'][], isGlobal: boolean): ProxyMix['proxy'] {
  if (kinds.includes('fabric')) return isGlobal ? 'fabric' : 'async';
  return kinds.includes('bulk') ? 'async' : 'alias';
}

export type Seen = Race | UninitialisedRead | ProxyMix;

/**
 * How often a listener received a pair of source locations: never, before, or so often that it
 * needs no more.
 */
export type ReportLevel = 'nothing' | 'some' | 'enough';

/**
 * Returns how often a problem of two source locations was reported. `now` is the location of the
 * later access. `before` is 0 if there is only one. If a listener counts sightings, it also counts
 * the one for which it returns `enough`.
 */
export type ReportLevelOf = (kind: Seen['kind'], now: number, before: number) => ReportLevel;
