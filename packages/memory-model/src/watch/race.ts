import type { Agent } from './agent.ts';
import type { EpochId } from './epochs.ts';
import type { Who } from './clock.ts';

/** One of two accesses, as far as it was recorded. */
export interface SeenAccess {
  readonly who: Who;
  readonly stamp: number;
  /** The number of the source position in the kernel. */
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
  /** The access that is too weak, or the one of the thread that did synchronize. */
  readonly at?: SeenAccess | undefined;
}

/** Two accesses to the same bytes that nothing orders, one of them a write. */
export interface Race {
  readonly kind: 'race';
  readonly now: SeenAccess;
  readonly before: SeenAccess;
  readonly beforeId: EpochId;
  /** The location in a memory: a byte address; `undefined` memory is the heap. */
  readonly address: number;
  readonly bytes: number;
  /**
   * The nearest first. Empty if the listener has had the two source positions before: the first
   * report has it.
   */
  readonly missing: readonly Missing[];
}

/** A read of bytes that were never written. */
export interface UninitialisedRead {
  readonly kind: 'uninitialised';
  readonly now: SeenAccess;
  readonly address: number;
  readonly bytes: number;
}

/** Bytes reached through two proxies, with no proxy fence between. */
export interface ProxyMix {
  readonly kind: 'proxy';
  /**
   * `alias`: through a multicast address and through their own; `async`: by a bulk copy and by a
   * thread; `fabric`: by an operation of a logical endpoint and by a thread or another one.
   */
  readonly proxy: 'alias' | 'async' | 'fabric';
  readonly now: SeenAccess;
  readonly before: SeenAccess;
  readonly address: number;
  readonly bytes: number;
}

/** The proxy that two agents of these kinds do not share; `isGlobal`: in global memory. */
export function proxyOf(kinds: readonly Agent['kind'][], isGlobal: boolean): ProxyMix['proxy'] {
  if (kinds.includes('fabric')) return isGlobal ? 'fabric' : 'async';
  return kinds.includes('bulk') ? 'async' : 'alias';
}

export type Seen = Race | UninitialisedRead | ProxyMix;

/**
 * The number of times that a listener got a pair of source positions: never, before, or so often
 * that it needs no more.
 */
export type Told = 'nothing' | 'some' | 'enough';

/**
 * Returns how often a problem of two source positions was reported, `now` the one of the later
 * access; `before` is 0 if there is only one. A listener that counts sightings counts the one for
 * which it returns `enough`.
 */
export type ToldOf = (kind: Seen['kind'], now: number, before: number) => Told;
