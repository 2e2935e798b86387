import type { PastAccess, SeenAccess, WordHistory } from '@nccl-ts/memory-model';

/** A word that one of two racing stores is about to change. */
interface OpenStore<Key> {
  readonly of: Key;
  readonly word: number;
  /** The bytes of the word, one bit each. */
  readonly mask: number;
  readonly was: number | undefined;
  readonly now: SeenAccess;
  /**
   * The earlier accesses to these bytes that nothing orders before the store. Empty if another pair
   * with the same store has them.
   */
  readonly unordered: readonly PastAccess[];
}

/** A store to a word. */
export interface StoredWord {
  /** See `wordKey`. */
  readonly word: number;
  readonly mask: number;
  readonly now: SeenAccess;
}

/** Receives an earlier access that may see another value of the word because of `now`. */
export type OnHidden<Key> = (of: Key, now: SeenAccess, before: PastAccess, word: number) => void;

/**
 * Recognises pairs of racing stores that only ever write the current value. A store is reported
 * before it takes effect, so each word is read again before any other store.
 *
 * The current value does not tell what the other store has replaced: an older store of another
 * value, or a load of one, may race as well. The history of the words tells. It is there in a
 * further run, since only the first run shows which words have such races.
 */
export class StoredValues<Key> {
  readonly #valueOf: (word: number) => number | undefined;
  readonly #history: WordHistory | undefined;
  readonly #onHidden: OnHidden<Key>;
  readonly #differs = new Map<Key, boolean>();
  /** The words of stores that have not changed a value so far. */
  readonly words: Set<number> = new Set();
  #open: OpenStore<Key>[] = [];

  /** `valueOf`: the current value of a word. */
  constructor(
    valueOf: (word: number) => number | undefined,
    history: WordHistory | undefined,
    onHidden: OnHidden<Key>,
  ) {
    this.#valueOf = valueOf;
    this.#history = history;
    this.#onHidden = onHidden;
  }

  /** True if there are accesses whose value was not read yet. */
  get isOpen(): boolean {
    return this.#open.length > 0 || this.#history?.isOpen === true;
  }

  /** Called before a store of the pair `of` changes a word. */
  opens(of: Key, { word, mask, now }: StoredWord, unordered: () => readonly PastAccess[]): void {
    if (this.#differs.get(of) === true) return;
    this.#differs.set(of, false);
    this.words.add(word);
    const isKnown = this.#open.some((one) => one.word === word);
    this.#open.push({ of, word, mask, was: this.#valueOf(word), now, unordered: isKnown ? [] : unordered() });
  }

  /** Called when all pending stores have taken effect. */
  settle(): void {
    this.#history?.settle(this.#valueOf);
    for (const { of, word, mask, was, now, unordered } of this.#open) {
      const value = this.#valueOf(word);
      if (value !== was) this.#differs.set(of, true);
      for (const before of unordered) {
        if (before.isWrite && before.isPlain && areEqual(before.value, value, before.mask & mask)) continue;
        this.#onHidden(of, now, before, word);
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

/** True if two values of a word have the same bytes at the places of `mask`. */
function areEqual(one: number | undefined, other: number | undefined, mask: number): boolean {
  if (one === undefined || other === undefined) return false;
  const changed = one ^ other;
  return [0, 1, 2, 3].every((byte) => ((mask >> byte) & 1) === 0 || ((changed >>> (8 * byte)) & 0xff) === 0);
}
