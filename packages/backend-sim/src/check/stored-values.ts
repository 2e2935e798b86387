import type { PastAccess, SeenAccess, WordHistory } from '@nccl-ts/memory-model';
import type { HeapViews } from '@nccl-ts/codegen';

/** A word that one of two racing stores is about to change. */
interface OpenStore<Key> {
  readonly of: Key;
  /** The word's index in the heap. */
  readonly word: number;
  readonly was: number | undefined;
  readonly now: SeenAccess;
  /**
   * The earlier accesses to the word that nothing orders before the store. Empty if another pair
   * with the same store has them.
   */
  readonly unordered: readonly PastAccess[];
}

/** Receives an earlier access that may see another value because of `now`. */
export type OnHidden<Key> = (of: Key, now: SeenAccess, before: PastAccess, address: number) => void;

/**
 * Recognises pairs of racing stores that only ever write the current value. A store is reported
 * before it takes effect, so each word is read again before any other store.
 *
 * The current value does not tell what the other store has replaced: an older store of another
 * value, or a load of one, may race as well. The history of the words tells. It is there in a
 * further run, since only the first run shows which words have such races.
 */
export class StoredValues<Key> {
  readonly #views: () => HeapViews;
  readonly #history: WordHistory | undefined;
  readonly #onHidden: OnHidden<Key>;
  readonly #differs = new Map<Key, boolean>();
  /** The words of stores that have not changed a value so far. */
  readonly words: Set<number> = new Set();
  #open: OpenStore<Key>[] = [];

  constructor(views: () => HeapViews, history: WordHistory | undefined, onHidden: OnHidden<Key>) {
    this.#views = views;
    this.#history = history;
    this.#onHidden = onHidden;
  }

  /** True if there are accesses whose value was not read yet. */
  get isOpen(): boolean {
    return this.#open.length > 0 || this.#history?.isOpen === true;
  }

  /** Called before a store of the pair `of` changes the word at a byte address. */
  opens(of: Key, address: number, now: SeenAccess, unordered: (word: number) => readonly PastAccess[]): void {
    if (this.#differs.get(of) === true) return;
    this.#differs.set(of, false);
    const word = address >>> 2;
    this.words.add(word);
    const isKnown = this.#open.some((one) => one.word === word);
    this.#open.push({ of, word, was: this.#views().u32[word], now, unordered: isKnown ? [] : unordered(word) });
  }

  /** Called when all pending stores have taken effect. */
  settle(): void {
    const { u32 } = this.#views();
    this.#history?.settle((word) => u32[word]);
    for (const { of, word, was, now, unordered } of this.#open) {
      const value = u32[word];
      if (value !== was) this.#differs.set(of, true);
      for (const before of unordered) {
        if (before.isWrite && before.isPlain && before.value === value) continue;
        this.#onHidden(of, now, before, word * 4);
      }
    }
    this.#open = [];
  }

  /** Called if a race of the pair matters, whatever it stores. */
  differs(of: Key): void {
    this.#differs.set(of, true);
  }

  /** True if no store of the pair has changed a value so far. */
  isSame(of: Key): boolean {
    return this.#differs.get(of) === false;
  }
}
