/** The size below which copying a map costs less than searching one more map. */
const FEW = 16;
/** The most maps that are searched one by one. If there are more, the smaller ones are merged. */
const MOST = 64;
/** The number of maps after merging: the largest ones, and one that combines the others. */
const LEFT = 16;
/**
 * The number of oldest entries of a map that are sampled. They decide if the whole map is searched
 * for entries to drop.
 */
const LOOKED_AT = 16;

type BoundsLayer = ReadonlyMap<number, number>;

/**
 * For each merged map, the maps that it was made of, recursively. Clocks that learn the same join
 * the same maps many times. They need not search a map that one of their larger maps contains.
 */
const contents = new WeakMap<BoundsLayer, readonly WeakSet<BoundsLayer>[]>();
/** The number of generations recorded there. */
const GENERATIONS = 16;

/**
 * Numbers by key that only grow. Threads learn thousands of them from each other, word by word, and
 * all threads of a CTA learn the same numbers. So maps that no longer change are shared and not
 * copied.
 */
export class Bounds {
  /**
   * Absent until a bound is raised. Each launch has a clock, and most clocks learn nothing about
   * single threads.
   */
  #own: Map<number, number> | undefined;
  /** Maps of other bounds, which no longer change. Absent if there are none. */
  #shared: Set<BoundsLayer> | undefined;

  #changes = 0;

  /** Grows with every change, which invalidates results computed before. */
  get changes(): number {
    return this.#changes;
  }

  /** The number of entries. A key that is in several maps counts in each. */
  get size(): number {
    let size = this.#own === undefined ? 0 : this.#own.size;
    for (const layer of this.#shared ?? []) size += layer.size;
    return size;
  }

  /** Returns 0 if there is no entry, because no bound is lower. */
  get(key: number): number {
    let bound = this.#own === undefined ? 0 : boundIn(this.#own, key);
    if (this.#shared === undefined) return bound;
    for (const layer of this.#shared) {
      const other = layer.get(key);
      if (other !== undefined && other > bound) bound = other;
    }
    return bound;
  }

  raise(key: number, bound: number): void {
    if (this.get(key) >= bound) return;
    (this.#own ??= new Map()).set(key, bound);
    this.#changes++;
  }

  /** Raises each number to the one in `other`. If `isFinal`, `other` no longer changes. */
  join(other: Bounds, isFinal: boolean): void {
    for (const layer of other.#shared ?? []) this.#share(layer);
    const own = other.#own;
    if (own === undefined) return;
    if (isFinal && own.size >= FEW) this.#share(own);
    else for (const [key, bound] of own) this.raise(key, bound);
    if (this.#shared !== undefined && this.#shared.size > MOST) this.#shared = fewer(this.#shared);
  }

  #share(layer: BoundsLayer): void {
    this.#shared ??= new Set();
    if (this.#holds(layer)) return;
    this.#shared.add(layer);
    this.#changes++;
  }

  /** The entries that `selection` accepts. */
  only(selection: KeySelection): Bounds {
    const taken = new Bounds();
    for (const [key, bound] of this.#own ?? []) if (selection.takes(key)) taken.raise(key, bound);
    for (const layer of this.#shared ?? []) {
      const part = selection.of(layer);
      if (part.size >= FEW) taken.#share(part);
      else for (const [key, bound] of part) taken.raise(key, bound);
    }
    return taken;
  }

  /**
   * True if `test` accepts all entries, at least those that none of `others` has too. A key may be
   * tested several times, with each of its numbers.
   */
  every(test: (key: number, bound: number) => boolean, others: readonly Bounds[]): boolean {
    for (const [key, bound] of this.#own ?? []) if (!test(key, bound)) return false;
    for (const layer of this.#shared ?? []) {
      if (others.some((one) => one.#holds(layer))) continue;
      for (const [key, bound] of layer) if (!test(key, bound)) return false;
    }
    return true;
  }

  #holds(layer: BoundsLayer): boolean {
    if (this.#own === layer || this.#shared?.has(layer) === true) return true;
    for (const known of this.#shared ?? []) if (contains(known, layer)) return true;
    return false;
  }

  /** Yields each key with the greatest of its numbers. */
  entries(): ReadonlyMap<number, number> {
    return merged([...(this.#own === undefined ? [] : [this.#own]), ...(this.#shared ?? [])]);
  }

  /**
   * Removes the entries for which `isOver` is true. A shared map keeps all its entries if most of
   * them, or the oldest ones, are still useful.
   */
  drop(isOver: (key: number, bound: number) => boolean): void {
    this.#changes++;
    for (const [key, bound] of this.#own ?? []) if (isOver(key, bound)) this.#own?.delete(key);
    for (const layer of this.#shared ?? []) {
      if (!isMostlyOver(layer, isOver)) continue;
      this.#shared?.delete(layer);
      // Other layers may have a higher bound of a key. Searching all of them here would cost more
      // than leaving the reader to take the greatest.
      const own = (this.#own ??= new Map());
      for (const [key, bound] of layer) if (!isOver(key, bound) && boundIn(own, key) < bound) own.set(key, bound);
    }
  }
}

function isMostlyOver(layer: BoundsLayer, isOver: (key: number, bound: number) => boolean): boolean {
  let seen = 0;
  let left = 0;
  for (const [key, bound] of layer) {
    seen++;
    if (!isOver(key, bound)) left++;
    if (left * 2 > layer.size || (seen === LOOKED_AT && left * 2 > seen)) return false;
  }
  return true;
}

/**
 * Combines the entries in fewer maps. The largest maps stay, so an entry is rarely copied, however
 * often maps are added.
 */
function fewer(layers: ReadonlySet<BoundsLayer>): Set<BoundsLayer> {
  const bySize = [...layers].toSorted((a, b) => b.size - a.size);
  const small = bySize.slice(LEFT - 1);
  const one = merged(small);
  const inside = [new WeakSet(small), ...small.flatMap((layer) => contents.get(layer) ?? [])];
  contents.set(one, inside.slice(0, GENERATIONS));
  return new Set([...bySize.slice(0, LEFT - 1), one]);
}

function merged(layers: readonly BoundsLayer[]): ReadonlyMap<number, number> {
  const [first, ...others] = layers.toSorted((a, b) => b.size - a.size);
  const all = new Map(first);
  for (const layer of others) {
    for (const [key, bound] of layer) if (boundIn(all, key) < bound) all.set(key, bound);
  }
  return all;
}

function contains(one: BoundsLayer, other: BoundsLayer): boolean {
  if (one === other) return true;
  return contents.get(one)?.some((inside) => inside.has(other)) === true;
}

/**
 * A subset of the keys. For a map that no longer changes, the accepted entries are computed once.
 */
export class KeySelection {
  readonly takes: (key: number) => boolean;
  readonly #parts = new WeakMap<BoundsLayer, BoundsLayer>();

  /** `takes` must always return the same for a key. */
  constructor(takes: (key: number) => boolean) {
    this.takes = takes;
  }

  of(layer: BoundsLayer): BoundsLayer {
    const known = this.#parts.get(layer);
    if (known !== undefined) return known;
    const part = new Map([...layer].filter(([key]) => this.takes(key)));
    this.#parts.set(layer, part);
    return part;
  }
}

/** The bound of a key in a map, or 0 if it has none. 0 is lower than all bounds. */
function boundIn(layer: BoundsLayer, key: number): number {
  const bound = layer.get(key);
  return bound === undefined ? 0 : bound;
}
