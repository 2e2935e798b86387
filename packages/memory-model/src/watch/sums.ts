import { PartPairs } from './part-pairs.ts';
import type { Published } from './published.ts';
import type { PassedRead, Version, WordLog } from './word-log.ts';

/** A change of a word, as the number of earlier changes in this run. */
export interface Overtaken {
  readonly address: number;
  readonly number: number;
}

/** A part that a wait for a sum may have passed without. */
export interface Replaceable {
  /** A part that the wait counts as having read. */
  readonly part: Version;
  /** The other parts that may replace it. They have all its clocks, or all of those that count. */
  readonly instead: readonly Version[];
}

/*
 * A wait for a sum may be satisfied by other parts than those that came first in this run. That
 * makes no difference if the others have all the clocks of these. If not, the wait counts as having
 * learned only the clocks that all of them have, so events that are ordered then are ordered in
 * every case. Which clocks of a part to omit is known only once the others have come. So they are
 * omitted in a second run, which behaves the same.
 */

/** Decides which parts of sums other parts may replace, in one run. */
export class Sums {
  /** The omissions after which it would not matter which parts satisfied the waits. */
  readonly lacks: Set<string> = new Set();
  /** The parts that other parts with fewer clocks may replace. */
  readonly overtaken: Overtaken[] = [];
  readonly #omits: ReadonlySet<string>;
  readonly #pairs = new PartPairs();

  /** `omits` are the omissions that earlier runs have found. */
  constructor(omits: ReadonlySet<string> = new Set()) {
    this.#omits = omits;
  }

  /** The clocks that a wait gets from a part, by read number `read` of its word. */
  seen(log: WordLog, read: number, part: Version): Pick<Version, 'who' | 'alone'> {
    const { who, alone } = part;
    if (this.#omits.size === 0 || alone === undefined) return part;
    const published = alone.published.filter(({ got }) => !this.#omits.has(omissionOf(log, read, part, got)));
    return { who, alone: { ...alone, published } };
  }

  /**
   * Examines a wait for a sum once all additions and their amounts are known. Returns the parts
   * that others may replace.
   */
  settle(log: WordLog, read: PassedRead, amounts: ReadonlyMap<Version, bigint>): readonly Replaceable[] {
    const number = log.passed.indexOf(read);
    return read.taken.flatMap((part): readonly Replaceable[] => {
      let all = 0n;
      let without = 0n;
      const lacks = new Set<string>();
      const instead: Version[] = [];
      for (const [one, amount] of amounts) {
        if (one === part) continue;
        const pair = this.#pairs.of(one, part);
        if (pair.follows) continue;
        all += amount;
        const lacking = pair
          .lacking(read.known)
          .map((got) => omissionOf(log, number, part, got))
          .filter((omission) => !this.#omits.has(omission));
        for (const omission of lacking) lacks.add(omission);
        if (lacking.length > 0) without += amount;
        else instead.push(one);
      }
      if (all < read.needed) return [];
      if (without >= read.needed) {
        for (const omission of lacks) this.lacks.add(omission);
        const before = log.versions.slice(0, part.number).filter(({ kind }) => kind === 'add');
        this.overtaken.push({ address: log.address, number: before.length });
      }
      return [{ part, instead }];
    });
  }
}

/** A key for the clocks that a wait gets from a version by one kind of receipt. */
function omissionOf(log: WordLog, read: number, version: Version, got: Published['got']): string {
  return [log.number, read, version.number, got ?? 'acquired'].join('/');
}
