import type { Snapshot, Who } from './clock.ts';
import type { EpochId } from './epochs.ts';
import type { Published } from './published.ts';

/** What the last strong write of a word has left there for those who read it. */
export interface SyncWord {
  readonly address: number;
  readonly bytes: number;
  /** The write's epoch: what it published counts for as long as the shadow's cell names it. */
  readonly id: EpochId;
  readonly published: readonly Published[];
  /**
   * Of each thread that has released here: its newest release. It goes on with the thread's later
   * strong writes to the word.
   */
  readonly releases: readonly Published[];
  /**
   * The write itself, and those whose chain of read-modify-writes it ends: each at a stamp of its
   * own.
   */
  readonly seen: readonly { readonly who: Who; readonly stamp: number }[];
  /**
   * Of a chain of read-modify-writes: the plain store of its own thread that the first of them has
   * read.
   */
  readonly reads?: EpochId | undefined;
  /** Where what GPUs order counts: the loads that are over when the write is seen. */
  readonly over?: Snapshot | undefined;
  /** All that was before the write. */
  readonly before: Snapshot;
}

/** The words that strong writes went to, by address. */
export class SyncWords {
  readonly #words = new Map<number, SyncWord>();

  at(address: number): SyncWord | undefined {
    return this.#words.get(address);
  }

  set(word: SyncWord): void {
    this.#words.set(word.address, word);
  }

  all(): Iterable<SyncWord> {
    return this.#words.values();
  }

  /** Forgets those in `[low, high)`. */
  clear(low: number, high: number): void {
    for (const address of this.#words.keys()) if (address >= low && address < high) this.#words.delete(address);
  }
}
