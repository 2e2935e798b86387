import { at, LINE } from '@nccl-ts/core';
import type { Who } from './clock.ts';
import { isPolledFlag } from './hardware-lines.ts';
import type { SeenAccess } from './race.ts';
import type { Shadow } from './shadow.ts';
import type { WatchedSite } from './watched-site.ts';

/** The sites of plain stores of words that strong waits of other threads read. */
export class FlagStores {
  readonly sites: Set<number> = new Set();
  /** By shadow and address: the threads that have polled a word, each with the word's size. */
  readonly #polls = new WeakMap<Shadow, Map<number, Map<Who, number>>>();

  /** Called for two racing accesses. Returns true if one of them is such a store. */
  note(sites: readonly WatchedSite[], one: number, other: number): boolean {
    const [first, second] = [at(sites, one), at(sites, other)];
    const store = isPolledFlag(first, second) ? one : isPolledFlag(second, first) ? other : undefined;
    return this.#adds(store);
  }

  /** Called for a read by a wait of the thread. */
  polled(who: Who, shadow: Shadow, address: number, bytes: number): void {
    if (bytes >= LINE) return;
    let words = this.#polls.get(shadow);
    if (words === undefined) this.#polls.set(shadow, (words = new Map<number, Map<Who, number>>()));
    let threads = words.get(address);
    if (threads === undefined) words.set(address, (threads = new Map<Who, number>()));
    threads.set(who, bytes);
  }

  /**
   * The same as `note`, for accesses of two threads. A strong write hides an earlier poll by its
   * thread, which races with a plain store whenever the write does.
   */
  races(sites: readonly WatchedSite[], now: Omit<SeenAccess, 'stamp'>, before: SeenAccess, word: PolledWord): boolean {
    if (this.note(sites, now.site, before.site)) return true;
    const store = this.#isOvertaken(sites, now.site, before, word)
      ? now.site
      : this.#isOvertaken(sites, before.site, now, word)
        ? before.site
        : undefined;
    return this.#adds(store);
  }

  #adds(store: number | undefined): boolean {
    if (store !== undefined) this.sites.add(store);
    return store !== undefined;
  }

  /** True if `store` is a plain store of a word that the thread of a strong write has polled. */
  #isOvertaken(
    sites: readonly WatchedSite[],
    store: number,
    write: Omit<SeenAccess, 'stamp'>,
    { shadow, address }: PolledWord,
  ): boolean {
    const [plain, strong] = [at(sites, store), at(sites, write.site)];
    if (plain.kind !== 'store' || plain.access !== undefined) return false;
    if (strong.kind === 'load' || strong.access === undefined) return false;
    return this.#polls.get(shadow)?.get(address)?.get(write.who) === plain.bytes;
  }
}

/** The word of two accesses. */
interface PolledWord {
  readonly shadow: Shadow;
  readonly address: number;
}
