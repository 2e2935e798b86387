import type { HeapViews } from '../program.ts';

/** A word that one of two racing stores is about to change. */
interface OpenStore<Key> {
  readonly of: Key;
  /** The word's index in the heap. */
  readonly word: number;
  readonly was: number | undefined;
}

/**
 * Recognises pairs of racing stores that only ever write the current value. A store is reported
 * before it takes effect, so each word is read again before any other store.
 */
export class StoredValues<Key> {
  readonly #views: () => HeapViews;
  readonly #differs = new Map<Key, boolean>();
  #open: OpenStore<Key>[] = [];

  constructor(views: () => HeapViews) {
    this.#views = views;
  }

  /** True if there are stores whose value was not read yet. */
  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Called before a store of the pair `of` changes the word at a byte address. */
  opens(of: Key, address: number): void {
    if (this.#differs.get(of) === true) return;
    this.#differs.set(of, false);
    const word = address >>> 2;
    this.#open.push({ of, word, was: this.#views().u32[word] });
  }

  /** Called when all pending stores have taken effect. */
  settle(): void {
    const { u32 } = this.#views();
    for (const { of, word, was } of this.#open) if (u32[word] !== was) this.#differs.set(of, true);
    this.#open = [];
  }

  /** True if no store of the pair has changed a value so far. */
  isSame(of: Key): boolean {
    return this.#differs.get(of) === false;
  }
}
