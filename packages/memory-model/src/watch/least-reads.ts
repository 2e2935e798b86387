import { whoIs, type Who } from './clock.ts';
import type { EpochId } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { Shadow } from './shadow.ts';
import type { SyncWord } from './sync-words.ts';
import { holds, withLeast, type Want } from './want.ts';
import type { LoggedWord } from './logged-word.ts';

/**
 * The number of values of a word that are remembered. If an older value would have satisfied a
 * wait, the wait is ordered after the oldest of these.
 */
const MOST = 64;

/** A value that a word held for some time. */
interface WordValue {
  /** The newest epoch in the word's cell while the word has the value. */
  readonly epoch: EpochId;
  /**
   * The strong write that stored it, and the clocks that it published. Absent for plain writes and
   * for initial contents.
   */
  readonly written: { readonly word: SyncWord; readonly who: Who; readonly stamp: number } | undefined;
  /** The value. It becomes known at the next write to the word or wait for it. */
  value: bigint | undefined;
}

export interface LeastReadsOptions {
  /**
   * The contents of a word of the memory that `shadow` belongs to, or `undefined` if they are
   * unknown.
   */
  readonly valueAt: (shadow: Shadow, address: number, bytes: number) => bigint | undefined;
}

/*
 * A wait that runs late may find a newer value than the first one that would have satisfied it,
 * because a peer may be a barrier ahead. If the wait counted as having read the newer value, it
 * would be ordered after everything that the peer did until then. That would hide races depending
 * on the schedule.
 *
 * The same execution with the older value is also allowed, if the thread is not ordered after a
 * later write of the word. The wait ends there too, and it uses nothing else of the value. That
 * execution orders less, so a race in it is a real race.
 */

/**
 * Finds the oldest value that may have satisfied a wait, so that the wait is ordered after no more
 * than it needs.
 */
export class LeastReads {
  readonly #options: LeastReadsOptions;
  #changes: Who | undefined;
  #changed = 0;
  readonly #histories = new Map<Shadow, Map<number, WordValue[]>>();

  constructor(options: LeastReadsOptions) {
    this.#options = options;
  }

  /**
   * Makes an event for a change of a word by the network. A thread that has read it reads no older
   * value of the word later. It is ordered after nothing else by that. `addAgent` makes an agent
   * without events.
   */
  nameOfChange(addAgent: () => number): { readonly who: Who; readonly stamp: number } {
    this.#changes ??= whoIs(addAgent(), 0);
    return { who: this.#changes, stamp: this.#changed++ };
  }

  /** Handles a strong write of the word before it happens. */
  writes(logged: LoggedWord): void {
    this.#historyOf(logged);
  }

  /** Records that `who` made the write passed to `writes` at `stamp`. */
  wrote({ shadow, address, bytes }: LoggedWord, word: SyncWord, who: Who, stamp: number): void {
    const history = this.#histories.get(shadow)?.get(keyOf(address, bytes));
    if (history === undefined) return;
    history.push({ epoch: word.id, written: { word, who, stamp }, value: undefined });
    if (history.length > MOST) history.splice(0, MOST / 2);
  }

  /**
   * Returns the write that a wait counts as having read. It is the strong write of the oldest value
   * that satisfies the wait and that `thread` may still read. There is none if no strong write
   * stored that value. `undefined` if that is the newest value, or if the exact value matters.
   */
  least(
    group: GroupClocks,
    thread: number,
    logged: LoggedWord,
    given: Want,
  ): { readonly word: SyncWord | undefined } | undefined {
    if (given.reached === false) return undefined;
    const history = this.#historyOf(logged);
    const newest = history.at(-1);
    if (newest?.value === undefined) return undefined;
    const { bytes } = logged;
    const want = withLeast(given, newest.value, bytes);
    let least = newest;
    for (let i = history.length - 1; i > 0; i--) {
      const later = history[i];
      const earlier = history[i - 1];
      // A thread that is ordered after a write reads that write or a later one.
      if (later?.written === undefined || group.isAfter(thread, later.written.who, later.written.stamp)) break;
      if (earlier?.value === undefined) break;
      const isSame = !want.isUsedAfter || earlier.value === newest.value;
      if (isSame && holds(want, earlier.value, bytes) === true) least = earlier;
    }
    return least === newest ? undefined : { word: least.written?.word };
  }

  /** Visits the epochs of the remembered values. */
  eachEpoch(visit: (id: EpochId) => void): void {
    for (const histories of this.#histories.values())
      for (const history of histories.values()) for (const { epoch } of history) visit(epoch);
  }

  /** Forgets everything about the words in `[low, high)`. */
  forget(shadow: Shadow, low: number, high: number): void {
    const histories = this.#histories.get(shadow);
    if (histories === undefined) return;
    for (const key of histories.keys()) if (key >= keyOf(low, 0) && key < keyOf(high, 0)) histories.delete(key);
  }

  /** The history of a word. Its last value is the current one. */
  #historyOf({ shadow, address, bytes, epoch }: LoggedWord): WordValue[] {
    const histories = this.#histories.get(shadow) ?? new Map<number, WordValue[]>();
    this.#histories.set(shadow, histories);
    const key = keyOf(address, bytes);
    const known = histories.get(key) ?? [];
    const value = this.#options.valueAt(shadow, address, bytes);
    const newest = known.at(-1);
    if (newest?.epoch === epoch) {
      newest.value ??= value;
      return known;
    }
    // Plain writes, and strong ones of another size, are either ordered with all others or race.
    const fresh = [{ epoch, written: undefined, value }];
    histories.set(key, fresh);
    return fresh;
  }
}

/** No access has more than 31 bytes. */
function keyOf(address: number, bytes: number): number {
  return 32 * address + bytes;
}
