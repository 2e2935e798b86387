import { at } from '@nccl-ts/core';
import type { FindingLabel } from '@nccl-ts/findings';
import {
  agentOf,
  threadOf,
  unorderedAccesses,
  wordKey,
  type GroupClocks,
  type HappensBefore,
  type IsBefore,
  type PastAccess,
  type Race,
  type SeenAccess,
  type Shadow,
  type ValueOfWord,
  type WatchedSite,
  type WordHistory,
} from '@nccl-ts/memory-model';
import type { Participants } from './participants.ts';

/** A word that the later of two racing accesses touches. */
interface RacedWord {
  /** See `wordKey`. */
  readonly word: number;
  /** The bytes of the word, one bit each. */
  readonly mask: number;
  readonly now: SeenAccess;
}

/** A word that one of two racing stores is about to change. */
interface OpenStore<Key> extends RacedWord {
  readonly of: Key;
  readonly was: number | undefined;
  /**
   * The earlier accesses to these bytes that nothing orders before the store. Empty if another pair
   * with the same store has them.
   */
  readonly unordered: readonly PastAccess[];
}

/** Receives an earlier access that may see another value of the word because of `now`. */
export type OnHidden<Key> = (of: Key, now: SeenAccess, before: PastAccess, word: number) => void;

interface StoredValuesInit<Key> {
  readonly order: HappensBefore;
  readonly valueOf: ValueOfWord;
  /** The clocks of an agent that runs. */
  readonly groupOf: (agent: number) => GroupClocks | undefined;
  readonly participants: Participants;
  readonly onHidden: OnHidden<Key>;
}

const WORD_BYTES = 4;

type StoredBytes = Pick<WatchedSite, 'bytes'>;

/**
 * True if two stores have equal sizes, or both store whole words, which are compared one by one.
 */
export function haveSameWords(one: StoredBytes | undefined, other: StoredBytes | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.bytes === other.bytes || [one, other].every(({ bytes }) => bytes % WORD_BYTES === 0);
}

/** Races of a load and a store at more words than this are not examined. */
const MOST_WORDS = 1024;

/**
 * Recognises races that cannot change a value: of stores that write what is there, and of a load
 * with such a store, if the load can return no other value. A store is reported before it takes
 * effect, so each word is read again before any other store.
 *
 * A load and a store may have equal values by chance, as when a second launch stores what the first
 * one has stored. So their race only counts as harmless if several threads of a launch perform the
 * store, and the load comes after that of one of them.
 *
 * The current value does not tell what the other store has replaced: an older store of another
 * value, or a load of one, may race as well. The history of the words tells. It is there in a
 * further run, since only the first run shows which words have such races.
 */
export class StoredValues<Key> {
  readonly #init: StoredValuesInit<Key>;
  readonly #valueOf: ValueOfWord;
  /** Absent in the first run. */
  readonly #history: WordHistory | undefined;
  readonly #differs = new Map<Key, boolean>();
  readonly #wordsOf = new Map<Key, Set<number>>();
  /** The pairs of a load and a store. */
  readonly #ofLoads = new Set<Key>();
  #open: OpenStore<Key>[] = [];

  constructor(init: StoredValuesInit<Key>) {
    this.#init = init;
    this.#valueOf = init.valueOf;
    this.#history = init.order.accesses.history;
  }

  /** The words of races that may turn out to be harmless so far. */
  get words(): ReadonlySet<number> {
    return new Set([...this.#wordsOf].flatMap(([of, words]) => (this.#differs.get(of) === false ? [...words] : [])));
  }

  /** True if there are accesses whose value was not read yet. */
  get isOpen(): boolean {
    return this.#open.length > 0 || this.#history?.isOpen === true;
  }

  /** Called for a race of the pair `of`, before the later of the two accesses takes effect. */
  examine(of: Key, { now, before, beforeId, address }: Race, shadow: Shadow): void {
    const { order, groupOf } = this.#init;
    const [site, other] = [order.sites[now.site], order.sites[before.site]];
    const group = groupOf(agentOf(now.who));
    const raced: RacedWord = { word: wordKey(shadow, address), mask: at(order.epochs.mask, beforeId), now };
    if (isPlainStore(site) && isPlainStore(other) && haveSameWords(site, other)) this.#stores(of, raced, group);
    else if (isPlainStore(site) && isPlainLoad(other) && this.#isThread(before)) this.#stores(of, raced, group, before);
    else if (isPlainLoad(site) && isPlainStore(other) && group !== undefined && this.#isThread(now))
      this.#loads(of, raced, group, before);
    else this.differs(of);
  }

  /** True for an access of a kernel's thread, and not of a host, the network or a copy. */
  #isThread({ who }: SeenAccess): boolean {
    return this.#init.order.agent(agentOf(who)).kind === 'cta';
  }

  /** The later access is a store. `load` is the earlier one, if that is a load. */
  #stores(of: Key, { word, mask, now }: RacedWord, group: GroupClocks | undefined, load?: SeenAccess): void {
    if (!this.#takes(of, word, load === undefined ? Number.POSITIVE_INFINITY : MOST_WORDS)) return;
    if (
      load !== undefined &&
      this.#history !== undefined &&
      !this.#isOfRepeated(word, now, this.#history.find(word, load))
    ) {
      this.differs(of);
      return;
    }
    const isKnown = this.#open.some((one) => one.word === word);
    const unordered = isKnown ? [] : unorderedAccesses(this.#init.order, word, mask, now, group);
    this.#open.push({ of, word, mask, was: this.#valueOf(word), now, unordered });
  }

  /** The later access is a load. */
  #loads(of: Key, { word, mask, now }: RacedWord, group: GroupClocks, store: SeenAccess): void {
    if (!this.#takes(of, word, MOST_WORDS) || this.#history === undefined) return;
    const isBefore: IsBefore = ({ who, stamp }) => group.isAfter(threadOf(now.who), who, stamp);
    // Such a store races with an earlier look of a wait, which may have seen what it replaces.
    if (isBefore(store)) {
      this.differs(of);
      return;
    }
    const value = this.#valueOf(word);
    const visible = this.#history.visible(word, mask, isBefore);
    const isHarmless =
      visible?.every((one) => areEqual(one.value, value, one.mask & mask)) === true &&
      this.#isRepeated(word, store, visible.filter(isBefore));
    if (!isHarmless) this.differs(of);
  }

  /** True if the word of a race of the pair may be examined. */
  #takes(of: Key, word: number, most: number): boolean {
    if (this.#differs.get(of) === true) return false;
    this.#differs.set(of, false);
    const words = this.#wordsOf.get(of) ?? new Set();
    this.#wordsOf.set(of, words);
    words.add(word);
    if (most === MOST_WORDS) this.#ofLoads.add(of);
    if (words.size > most) this.differs(of);
    return words.size <= most;
  }

  /** True if a load returns what another thread has stored like `now`. */
  #isOfRepeated(word: number, now: SeenAccess, load: PastAccess | undefined): boolean {
    if (load === undefined) return false;
    const { sources, value, mask } = load;
    return this.#isRepeated(
      word,
      now,
      [...sources].filter((one) => areEqual(one.value, value, mask)),
    );
  }

  /**
   * True if one of `writes` is by the statement of the racing store `now`, which several threads of
   * a launch perform.
   */
  #isRepeated(word: number, now: SeenAccess, writes: readonly PastAccess[]): boolean {
    if (!writes.some((one) => this.#isSameStatement(one, now))) return false;
    const all: readonly SeenAccess[] = [...(this.#history?.writes(word) ?? []), now];
    const same = all.filter((one) => this.#isSameStatement(one, now));
    return same.some((one) => same.some((other) => one.who !== other.who && this.#areOfOneLaunch(one, other)));
  }

  #isSameStatement(one: SeenAccess, other: SeenAccess): boolean {
    const { participants } = this.#init;
    return one.site === other.site || isSameStatement(participants.label(one), participants.label(other));
  }

  /** True if the threads run the same launch of their ranks, such as the first of each. */
  #areOfOneLaunch(one: SeenAccess, other: SeenAccess): boolean {
    const { participants } = this.#init;
    const [first, second] = [one, other].map(({ who, stamp }) => participants.launchAt(agentOf(who), stamp));
    return first === second && Number.isFinite(first);
  }

  /** Called when all pending stores have taken effect. */
  settle(): void {
    this.#history?.settle();
    for (const { of, word, mask, was, now, unordered } of this.#open) {
      const value = this.#valueOf(word);
      if (value !== was) this.differs(of);
      for (const before of unordered) {
        const isEqual = before.isPlain && areEqual(before.value, value, before.mask & mask);
        if (isEqual && (before.isWrite || this.#isOfRepeated(word, now, before))) continue;
        this.#init.onHidden(of, now, before, word);
      }
    }
    this.#open = [];
  }

  /** Called if a race of the pair matters, whatever it stores. */
  differs(of: Key): void {
    this.#differs.set(of, true);
  }

  /**
   * True if no race of the pair has mattered so far. A race of a load counts in the first run,
   * which does not know all values that the load may return.
   */
  isSame(of: Key): boolean {
    return this.#differs.get(of) === false && (this.#history !== undefined || !this.#ofLoads.has(of));
  }
}

/**
 * True if the accesses are of one statement of the source text, which may be in several kernels.
 */
export function isSameStatement({ place: one }: FindingLabel, { place: other }: FindingLabel): boolean {
  if (one === undefined || other === undefined) return false;
  const [first, second] = [one, other].map(({ location, source, line, column }) =>
    location === undefined ? `${source}:${line}:${column}` : `${location.file}:${location.line}:${location.column}`,
  );
  return first === second;
}

function isPlainStore(site: WatchedSite | undefined): boolean {
  return site?.kind === 'store' && site.access === undefined;
}

function isPlainLoad(site: WatchedSite | undefined): boolean {
  return site?.kind === 'load' && site.access === undefined;
}

/** True if two values of a word have the same bytes at the places of `mask`. */
function areEqual(one: number | undefined, other: number | undefined, mask: number): boolean {
  if (one === undefined || other === undefined) return false;
  const changed = one ^ other;
  return [0, 1, 2, 3].every((byte) => ((mask >> byte) & 1) === 0 || ((changed >>> (8 * byte)) & 0xff) === 0);
}
