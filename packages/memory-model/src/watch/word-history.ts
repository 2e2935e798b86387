import { PLAIN } from '../scope.ts';
import { maskOf, WHOLE_WORD } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { SeenAccess } from './race.ts';
import type { Shadow } from './shadow.ts';

/** An access to a word that a history keeps. */
export interface PastAccess extends SeenAccess {
  readonly isWrite: boolean;
  readonly isPlain: boolean;
  /** The bytes of the word, one bit each. */
  readonly mask: number;
  /** The word's value after it; for a write, once `settle` has read it. */
  readonly value: number | undefined;
  /**
   * The writes of these bytes that are ordered before it. For a load, only those that no other one
   * of them follows.
   */
  readonly sources: ReadonlySet<PastAccess>;
}

/** The bytes of an access. */
export interface AccessedBytes {
  readonly shadow: Shadow;
  readonly address: number;
  readonly bytes: number;
}

/** The number of words of the largest memory. */
const WORDS = 2 ** 32;

/** Identifies the word at a byte address among those of all memories of a world. */
export function wordKey({ number }: Pick<Shadow, 'number'>, address: number): number {
  return number * WORDS + (address >>> 2);
}

/** The number of the memory of a word, and its index there. */
export function wordOfKey(key: number): { readonly memory: number; readonly word: number } {
  return { memory: Math.floor(key / WORDS), word: key % WORDS };
}

/** Returns the current value of a word, unless its memory is gone. */
export type ValueOfWord = (word: number) => number | undefined;

/** The words of which a history is kept. */
export interface RememberedWords {
  /** By `wordKey`. */
  readonly words: ReadonlySet<number>;
  readonly valueOf: ValueOfWord;
}

/** True if an event is ordered before the current one. */
export type IsBefore = (event: Pick<SeenAccess, 'who' | 'stamp'>) => boolean;

interface RememberedAccess extends PastAccess {
  value: number | undefined;
  readonly sources: ReadonlySet<RememberedAccess>;
}

/** The sources of an access, and what they depend on. */
interface SourcesOfAccess {
  readonly earlier: readonly RememberedAccess[];
  readonly isWrite: boolean;
  readonly mask: number;
  readonly sources: ReadonlySet<RememberedAccess>;
}

/**
 * All accesses to some words, those included that later accesses have replaced in shadow memory.
 * A race with a replaced access usually shows as a race with its successor. It does not if that
 * race is harmless, because both store the same value.
 */
export class WordHistory {
  readonly #words = new Map<number, RememberedAccess[]>();
  /** By word: the writes among them. A loop that waits may load a word millions of times. */
  readonly #writes = new Map<number, RememberedAccess[]>();
  /** By word: the sources of its last access, which those of other threads often share. */
  readonly #sources = new Map<number, SourcesOfAccess>();
  /** The words whose last write has no value yet. */
  readonly #open = new Set<number>();
  readonly #valueOf: ValueOfWord;
  readonly #widths: (site: number) => number;

  /** `widths`: the width of the scope of a site, or 0 if it is plain. */
  constructor({ words, valueOf }: RememberedWords, widths: (site: number) => number) {
    for (const word of words) {
      this.#words.set(word, []);
      this.#writes.set(word, []);
    }
    this.#valueOf = valueOf;
    this.#widths = widths;
  }

  /**
   * Adds an access before it takes effect. `site` counts from the first site of the world.
   * `isBefore` is about the access.
   */
  add(access: SeenAccess, { shadow, address, bytes }: AccessedBytes, isWrite: boolean, isBefore: IsBefore): void {
    const isPlain = this.#widths(access.site) === PLAIN;
    const mask = maskOf(address, bytes);
    const end = wordKey(shadow, address + bytes - 1);
    for (let word = wordKey(shadow, address); word <= end; word++) {
      const past = this.#words.get(word);
      if (past === undefined) continue;
      if (this.#open.has(word)) this.#settle(word);
      const value = isWrite ? undefined : this.#valueOf(word);
      const sources = this.#sourcesOf(word, { earlier: this.#writesOf(word, mask).filter(isBefore), isWrite, mask });
      const added = { ...access, isWrite, isPlain, mask, value, sources };
      past.push(added);
      if (!isWrite) continue;
      this.#writes.get(word)?.push(added);
      this.#open.add(word);
    }
  }

  /** Threads that a barrier let pass have the same sources, and there may be a thousand of them. */
  #sourcesOf(word: number, access: Omit<SourcesOfAccess, 'sources'>): ReadonlySet<RememberedAccess> {
    const known = this.#sources.get(word);
    if (known !== undefined && haveSameSources(known, access)) return known.sources;
    const { earlier, isWrite, mask } = access;
    const sources = new Set(isWrite ? earlier : latestOf(earlier, earlier, mask));
    this.#sources.set(word, { ...access, sources });
    return sources;
  }

  /** True if there are writes without a value. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Records the values of the last writes, which have taken effect. */
  settle(): void {
    for (const word of this.#open) this.#settle(word);
  }

  #settle(word: number): void {
    this.#open.delete(word);
    const last = this.#writes.get(word)?.at(-1);
    if (last !== undefined) last.value = this.#valueOf(word);
  }

  /** Forgets the accesses to the words of a range of the heap, which has a new owner. */
  forget(low: number, high: number): void {
    for (const accesses of [this.#words, this.#writes])
      for (const [word, past] of accesses) if (word >= low / 4 && word < high / 4) past.length = 0;
  }

  /**
   * The accesses of other threads to these bytes of the word that are not ordered before the next
   * event of `thread`. Without a group, all of them.
   */
  unordered(word: number, mask: number, group: GroupClocks | undefined, thread: number): readonly PastAccess[] {
    const past = (this.#words.get(word) ?? []).filter((one) => (one.mask & mask) !== 0);
    return group === undefined ? past : past.filter(({ who, stamp }) => !group.isAfter(thread, who, stamp));
  }

  /** All writes of the word so far. */
  writes(word: number): readonly PastAccess[] {
    return this.#writesOf(word, WHOLE_WORD);
  }

  #writesOf(word: number, mask: number): readonly RememberedAccess[] {
    return (this.#writes.get(word) ?? []).filter((one) => (one.mask & mask) !== 0);
  }

  /** The last access to a word at this time. */
  find(word: number, { who, stamp, site }: SeenAccess): PastAccess | undefined {
    const isIt = (one: PastAccess): boolean => one.who === who && one.stamp === stamp && one.site === site;
    return this.#words.get(word)?.findLast(isIt);
  }

  /**
   * The writes so far that a load of these bytes may read: those that are not ordered before it,
   * and those that are, unless another one came after them and before the load. Returns `undefined`
   * if that is not known.
   */
  visible(word: number, mask: number, isBefore: IsBefore): readonly PastAccess[] | undefined {
    if (!this.#words.has(word)) return undefined;
    if (this.#open.has(word)) this.#settle(word);
    const writes = this.#writesOf(word, mask);
    return latestOf(writes, writes.filter(isBefore), mask);
  }
}

/** Those of the writes that none of `later` follows with all of their bytes of the mask. */
function latestOf(
  writes: readonly RememberedAccess[],
  later: readonly RememberedAccess[],
  mask: number,
): readonly RememberedAccess[] {
  const followed = new Set<RememberedAccess>();
  // Hundreds of writes may share their sources.
  const done = new Map<ReadonlySet<RememberedAccess>, number>();
  for (const { sources, mask: bytes } of later) {
    if (done.get(sources) === bytes) continue;
    done.set(sources, bytes);
    for (const one of sources) if ((one.mask & mask & ~bytes) === 0) followed.add(one);
  }
  return followed.size === 0 ? writes : writes.filter((one) => !followed.has(one));
}

function haveSameSources(one: Omit<SourcesOfAccess, 'sources'>, other: Omit<SourcesOfAccess, 'sources'>): boolean {
  if (one.isWrite !== other.isWrite || one.mask !== other.mask || one.earlier.length !== other.earlier.length)
    return false;
  return one.earlier.every((write, i) => write === other.earlier[i]);
}
