import type { Snapshot } from './snapshot.ts';
import type { EpochId } from './epochs.ts';
import type { Published } from './published.ts';
import type { UpdateChain } from './update-chain.ts';

/** The clocks that the last strong write of a word passes to its readers. */
export interface SyncWord {
  readonly address: number;
  readonly bytes: number;
  /**
   * The write's epoch. Its published clocks count as long as the shadow's cell contains the epoch.
   */
  readonly id: EpochId;
  readonly published: readonly Published[];
  /**
   * The newest release of each thread that has released here. The thread's later strong writes to
   * the word continue it.
   */
  readonly releases: readonly Published[];
  /**
   * The write itself, and the earlier ones in its chain of read-modify-writes. Each has a separate
   * stamp. Absent if a reader learns of no write.
   */
  readonly seen: UpdateChain | undefined;
  /**
   * For a chain of read-modify-writes: the plain store of the same thread that the first of them
   * has read.
   */
  readonly reads?: EpochId | undefined;
  /** The loads that have finished when the write is seen, if the order of GPUs counts. */
  readonly over?: Snapshot | undefined;
  /** All events before the write. */
  readonly before: Snapshot;
}

/** The words to which strong writes went, by address. */
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

  /** Forgets the words in `[low, high)`. */
  clear(low: number, high: number): void {
    for (const address of this.#words.keys()) if (address >= low && address < high) this.#words.delete(address);
  }
}
