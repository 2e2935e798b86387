import type { Who } from './clock.ts';
import type { Snapshot } from './snapshot.ts';
import type { EpochId } from './epochs.ts';
import type { Published } from './published.ts';

/** The clocks that the last strong write of a word has left there for its readers. */
export interface SyncWord {
  readonly address: number;
  readonly bytes: number;
  /** The write's epoch: its published clocks count as long as the shadow's cell has it. */
  readonly id: EpochId;
  readonly published: readonly Published[];
  /**
   * For each thread that has released here: its newest release. It is continued by the thread's
   * later strong writes to the word.
   */
  readonly releases: readonly Published[];
  /**
   * The write itself, and those whose chain of read-modify-writes it ends: each at a stamp of its
   * own.
   */
  readonly seen: readonly { readonly who: Who; readonly stamp: number }[];
  /**
   * For a chain of read-modify-writes: the plain store of its own thread that the first of them has
   * read.
   */
  readonly reads?: EpochId | undefined;
  /** If the order of GPUs counts: the loads that have finished when the write is seen. */
  readonly over?: Snapshot | undefined;
  /** Everything before the write. */
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
