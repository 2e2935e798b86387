import type { EpochId } from './epochs.ts';
import type { Who } from './clock.ts';

/** One of two accesses, as far as it was written down. */
export interface SeenAccess {
  readonly who: Who;
  readonly stamp: number;
  /** Number of the place in the kernel. */
  readonly site: number;
}

/** What would have ordered two accesses. */
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
  /** Where: the access that is too weak, or the one of the thread that did synchronise. */
  readonly at?: SeenAccess | undefined;
}

/** Two accesses to the same bytes that nothing orders, one of them a write. */
export interface Race {
  readonly kind: 'race';
  readonly now: SeenAccess;
  readonly before: SeenAccess;
  readonly beforeId: EpochId;
  /** Where in which memory: a byte address; `undefined` memory is the heap. */
  readonly address: number;
  readonly bytes: number;
  /**
   * The nearest first. Empty where the listener was told of the two places before: the first
   * sighting says it.
   */
  readonly missing: readonly Missing[];
}

/** A read of bytes that nobody has written. */
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
   * thread.
   */
  readonly proxy: 'alias' | 'async';
  readonly now: SeenAccess;
  readonly before: SeenAccess;
  readonly address: number;
  readonly bytes: number;
}

export type Seen = Race | UninitialisedRead | ProxyMix;

/**
 * How often a listener was told of a pair of places: never, or before, or so often that it needs to
 * hear no more.
 */
export type Told = 'nothing' | 'some' | 'enough';

/**
 * Answers what was told of two places that something of the kind is wrong with, `now` the one of
 * the later access; `before` is 0 where there is one place only. A listener that counts sightings
 * counts the one it answers `enough` to.
 */
export type ToldOf = (kind: Seen['kind'], now: number, before: number) => Told;
