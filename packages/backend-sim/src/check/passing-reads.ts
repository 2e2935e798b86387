import type { WaitedWord } from '@nccl-ts/findings';
import type { WordStories } from './story/word-stories.ts';
import {
  FailingLooks,
  holds,
  type GroupClocks,
  type HappensBefore,
  type SyncWord,
  type WaitRead,
} from '@nccl-ts/memory-model';

/** True if a word with these bits lets a wait pass. */
export type Accepts = (bits: bigint) => boolean;

/**
 * Receives a read that satisfied a wait for one word, the write that it read, and the smallest
 * value that satisfies the wait, if there is one.
 */
export type OnPassed = (read: WaitRead, word: SyncWord, least: bigint | undefined) => void;

/** The condition that a wait places on a word. */
interface Want {
  readonly accepts: Accepts | 'any' | undefined;
  readonly isUsedAfter: boolean;
}

/** The values that ended a wait. */
type EndedWant = Parameters<typeof holds>[0] & { readonly isAny: boolean };

/** The reads by which one wait passes, if it matters which values they have. */
export class PassingReads {
  readonly #order: HappensBefore;
  readonly #group: GroupClocks;
  readonly #onPassed: OnPassed;
  readonly #onWaited: () => void;
  readonly #stories: WordStories;
  #reads: WaitRead[] | undefined;
  #wants: Want[] = [];
  #learned: { readonly words: readonly WaitedWord[]; readonly excess: bigint } | undefined;

  /** `onWaited` is called for each wait that another CTA may have satisfied. */
  constructor(
    order: HappensBefore,
    group: GroupClocks,
    onPassed: OnPassed,
    onWaited: () => void,
    stories: WordStories,
  ) {
    this.#stories = stories;
    this.#order = order;
    this.#group = group;
    this.#onPassed = onPassed;
    this.#onWaited = onWaited;
  }

  /** Returns true if the reads of passing waits are requested. */
  begin(): boolean {
    if (this.#order.needsWaits) this.#reads = [];
    return this.isOpen;
  }

  /** True if a wait is passing, and its reads are requested. */
  get isOpen(): boolean {
    return this.#reads !== undefined;
  }

  take(read: WaitRead): void {
    this.#reads?.push(read);
  }

  learn(words: readonly WaitedWord[], excess: number | bigint | undefined): void {
    if (excess !== undefined && this.isOpen) this.#learned = { words, excess: BigInt(excess) };
  }

  want(want: Want): void {
    this.#wants.push(want);
  }

  /** With a time limit, `reached` is true if the wait did not time out. */
  end(reached: boolean | undefined): void {
    const reads = this.#reads ?? [];
    const wants = this.#wants.length === reads.length ? this.#wants : [];
    const learned = this.#learned;
    this.#reads = undefined;
    this.#wants = [];
    this.#learned = undefined;
    const isAlone = reads.length === 1;
    // Only the CTA itself writes its shared memory.
    if (reads.length === 0 || reads.some(({ shadow }) => shadow === this.#order.shadow)) this.#onWaited();
    const looks = new FailingLooks(this.#order, this.#group, reads);
    reads.forEach((read, i) => {
      const least = isAlone && learned !== undefined ? leastOf(read.address, learned) : undefined;
      const { accepts, isUsedAfter = true } = wants[i] ?? {};
      const isAny = accepts === 'any';
      const of = isAny ? (): boolean => true : accepts;
      const want = { accepts: of, isAny, least, isUsedAfter, reached, isAlone };
      const word = this.#order.passes(this.#group, read, want);
      this.#tell(read, want, reached);
      // A wait for several words, or for any value, is not satisfied by a single write.
      const isFor = isAlone && !isAny && (of !== undefined || least !== undefined);
      if (isFor && reached !== false && word !== undefined) this.#onPassed(read, word, least);
    });
    looks.report();
  }

  #tell({ thread, shadow, address, site }: WaitRead, want: EndedWant, reached: boolean | undefined): void {
    const bytes = this.#order.sites[this.#group.siteBase + site]?.bytes;
    if (bytes === undefined) return;
    const word = { shadow, address, bytes };
    if (reached === false) this.#stories.gaveUp(this.#group, thread, word);
    if (reached === false || want.isAny) return;
    this.#stories.satisfied(this.#group, thread, word, (value) => holds(want, value, bytes));
  }
}

/** The smallest value of the word with which the wait passes. */
function leastOf(
  address: number,
  { words, excess }: { readonly words: readonly WaitedWord[]; readonly excess: bigint },
): bigint | undefined {
  const word = words.find((one) => one.address === address);
  if (word === undefined || (word.type !== 'u32' && word.type !== 'u64')) return undefined;
  return BigInt.asUintN(word.type === 'u64' ? 64 : 32, BigInt(word.value) - excess);
}
