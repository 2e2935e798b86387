import { at } from '@nccl-ts/core';
import { agentOf } from './clock.ts';
import type { EpochId } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { HappensBefore } from './happens-before.ts';

const WORD_BYTES = 4;

/**
 * The words that a CTA has loaded plainly. Its multiprocessor may have them in its L1 cache until a
 * thread acquires at device scope or wider, and a volatile load does not empty that.
 */
export class CachedLoads {
  readonly #writes = new Map<number, EpochId>();

  /**
   * Handles a plain load of a word whose last write is `write`. Returns true if the cache may hold
   * what was there before that.
   */
  loads(word: number, write: EpochId): boolean {
    const known = this.#writes.get(word);
    if (known === undefined) this.#writes.set(word, write);
    return known !== undefined && known !== write;
  }

  /** Called for a store of the CTA, after which it sees the word as it is. */
  stores(word: number): void {
    this.#writes.delete(word);
  }

  empty(): void {
    this.#writes.clear();
  }
}

/**
 * Handles a plain load of global memory, in the order of GPUs. Returns true if the L1 cache may
 * serve it with what a write of another CTA has replaced.
 */
export function mayHitCache(
  { shadow, epochs }: Pick<HappensBefore, 'shadow' | 'epochs'>,
  group: GroupClocks,
  address: number,
  bytes: number,
): boolean {
  let isStale = false;
  for (let word = address - (address % WORD_BYTES); word < address + bytes; word += WORD_BYTES) {
    const [write] = shadow.writesAt(word);
    if (write === undefined) continue;
    if (agentOf(at(epochs.who, write)) === group.agent) group.cachedLoads.stores(word);
    else if (group.cachedLoads.loads(word, write)) isStale = true;
  }
  return isStale;
}
