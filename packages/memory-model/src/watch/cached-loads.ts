import type { MemoryOrder } from '@nccl-ts/core';
import { scopeWidth, type ScopeWidth } from '../scope.ts';
import type { EpochId } from './epochs.ts';
import { acquiring } from './orders.ts';

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

  /** Called for a memory order of the CTA. */
  acquires(order: MemoryOrder, width: ScopeWidth): void {
    if (acquiring[order] && width >= scopeWidth('device')) this.#writes.clear();
  }
}
