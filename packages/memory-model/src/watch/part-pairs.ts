import { threadOf, type Clock, type Who } from './clock.ts';
import type { Published } from './published.ts';
import { isCoveredBy, type Snapshot } from './snapshot.ts';
import { isAfter, type Version } from './word-log.ts';

type Receipts = readonly Published['got'][];

/** Two parts of a sum, and what it matters to a wait which of them it reads. */
export class PartPair {
  readonly #one: Version;
  readonly #other: Version;
  /** True if `one` comes after `other` in every run. */
  readonly follows: boolean;
  /** The results for threads with the same clocks, apart from their own events. */
  readonly #known = new WeakMap<Clock, WeakMap<Clock, Receipts>>();

  constructor(one: Version, other: Version) {
    this.#one = one;
    this.#other = other;
    this.follows = isAfter(one, other) && !one.beside.has(other);
  }

  /**
   * The kinds of receipt in which a reader of `one`, ordered after `known`, does not get the
   * relevant clocks of `other`.
   */
  lacking(known: Snapshot | undefined): Receipts {
    if (known === undefined) return this.#lacking([]);
    const lacking = this.#withoutOwn(known);
    const isOwn = lacking.length > 0 && this.#other.needed.some(({ snapshot }) => mayConcern(snapshot, known.who));
    return isOwn ? this.#lacking([known]) : lacking;
  }

  #withoutOwn(known: Snapshot): Receipts {
    const { base, extra = base } = known;
    const ofBase = this.#known.get(base) ?? new WeakMap<Clock, Receipts>();
    this.#known.set(base, ofBase);
    const found = ofBase.get(extra) ?? this.#lacking([{ ...known, bound: 0 }]);
    ofBase.set(extra, found);
    return found;
  }

  #lacking(before: readonly Snapshot[]): Receipts {
    const published = this.#one.alone?.published ?? [];
    const lacking = this.#other.needed.filter(({ snapshot, width, got }) => {
      if (isCoveredBy(snapshot, before)) return false;
      const publishers = published.filter((own) => own.got === got && own.width >= width);
      return !publishers.some((own) => isCoveredBy(snapshot, [...before, own.snapshot]));
    });
    return lacking.map(({ got }) => got);
  }
}

/** The pairs of parts of which waits were examined. All waits for a word have the same ones. */
export class PartPairs {
  readonly #pairs = new WeakMap<Version, Map<Version, PartPair>>();

  of(one: Version, other: Version): PartPair {
    const pairs = this.#pairs.get(other) ?? new Map<Version, PartPair>();
    this.#pairs.set(other, pairs);
    const pair = pairs.get(one) ?? new PartPair(one, other);
    pairs.set(one, pair);
    return pair;
  }
}

/** True if a snapshot may cover events that only their own thread is known to be ordered after. */
function mayConcern({ base, extra, who: by }: Snapshot, who: Who): boolean {
  // Requests of an agent count as those of its first thread.
  if (by === who || threadOf(who) === 0) return true;
  return [base, extra].some((clock) => clock !== undefined && clock.parts.get(who) > 0);
}
