/** Below this size, a copy costs less than one more map to look into. */
const FEW = 16;
/** At most this number of maps is searched one by one; beyond it, the smaller ones are merged. */
const MOST = 64;
/** The number of maps after merging: the largest ones, and one of all others. */
const LEFT = 16;
/**
 * This number of a map's oldest entries decides if all of them are searched for entries to drop.
 */
const LOOKED_AT = 16;

type Layer = ReadonlyMap<number, number>;

/**
 * For each merged map: the maps that it was made of, and theirs. Clocks that learn the same join
 * the same maps again and again, and need not search maps that a larger map of theirs contains.
 */
const contents = new WeakMap<Layer, readonly WeakSet<Layer>[]>();
/** The number of generations recorded there. */
const GENERATIONS = 16;

/**
 * Numbers by key that only grow. Threads learn thousands of them from each other, word by word, and
 * all threads of a CTA learn the same: so maps that no longer change are shared and not copied.
 */
export class Bounds {
  /**
   * Absent until a bound is raised: there is a clock for each launch, and most learn nothing of
   * single threads.
   */
  #own: Map<number, number> | undefined;
  /** Maps of other bounds, which no longer change; absent if there are none. */
  #shared: Set<Layer> | undefined;

  #changes = 0;

  /** Grows with every change: results computed before are then out of date. */
  get changes(): number {
    return this.#changes;
  }

  /** The number of entries; a key that is in several maps counts in each. */
  get size(): number {
    let size = this.#own === undefined ? 0 : this.#own.size;
    for (const layer of this.#shared ?? []) size += layer.size;
    return size;
  }

  /** 0 if there is no entry: no bound is lower. */
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

  /** Raises each number to the one in `other`, which no longer changes if it `isFinal`. */
  join(other: Bounds, isFinal: boolean): void {
    for (const layer of other.#shared ?? []) this.#share(layer);
    const own = other.#own;
    if (own === undefined) return;
    if (isFinal && own.size >= FEW) this.#share(own);
    else for (const [key, bound] of own) this.raise(key, bound);
    if (this.#shared !== undefined && this.#shared.size > MOST) this.#shared = fewer(this.#shared);
  }

  #share(layer: Layer): void {
    this.#shared ??= new Set();
    for (const known of this.#shared) if (contains(known, layer)) return;
    this.#shared.add(layer);
    this.#changes++;
  }

  /** The entries that `selection` accepts. */
  only(selection: Selection): Bounds {
    const taken = new Bounds();
    for (const [key, bound] of this.#own ?? []) if (selection.takes(key)) taken.raise(key, bound);
    for (const layer of this.#shared ?? []) {
      const part = selection.of(layer);
      if (part.size >= FEW) taken.#share(part);
      else for (const [key, bound] of part) taken.raise(key, bound);
    }
    return taken;
  }

  /** Each key, with the greatest of its numbers. */
  entries(): ReadonlyMap<number, number> {
    return merged([...(this.#own === undefined ? [] : [this.#own]), ...(this.#shared ?? [])]);
  }

  /**
   * Removes the entries for which `goes` is true; a shared map keeps all of its entries if most of
   * them, or the oldest ones, are still of use.
   */
  drop(goes: (key: number, bound: number) => boolean): void {
    this.#changes++;
    for (const [key, bound] of this.#own ?? []) if (goes(key, bound)) this.#own?.delete(key);
    for (const layer of this.#shared ?? []) {
      if (!isMostlyOver(layer, goes)) continue;
      this.#shared?.delete(layer);
      // Other layers may have a higher bound of a key: the reader takes the greatest, and searching
      // all of them here costs more.
      const own = (this.#own ??= new Map());
      for (const [key, bound] of layer) if (!goes(key, bound) && boundIn(own, key) < bound) own.set(key, bound);
    }
  }
}

function isMostlyOver(layer: Layer, goes: (key: number, bound: number) => boolean): boolean {
  let seen = 0;
  let left = 0;
  for (const [key, bound] of layer) {
    seen++;
    if (!goes(key, bound)) left++;
    if (left * 2 > layer.size || (seen === LOOKED_AT && left * 2 > seen)) return false;
  }
  return true;
}

/**
 * The same entries in fewer maps: the largest ones stay, so an entry is copied seldom, however
 * often maps are added.
 */
function fewer(layers: ReadonlySet<Layer>): Set<Layer> {
  const bySize = [...layers].toSorted((a, b) => b.size - a.size);
  const small = bySize.slice(LEFT - 1);
  const one = merged(small);
  const inside = [new WeakSet(small), ...small.flatMap((layer) => contents.get(layer) ?? [])];
  contents.set(one, inside.slice(0, GENERATIONS));
  return new Set([...bySize.slice(0, LEFT - 1), one]);
}

function merged(layers: readonly Layer[]): ReadonlyMap<number, number> {
  const [first, ...others] = layers.toSorted((a, b) => b.size - a.size);
  const all = new Map(first);
  for (const layer of others) {
    for (const [key, bound] of layer) if (boundIn(all, key) < bound) all.set(key, bound);
  }
  return all;
}

function contains(one: Layer, other: Layer): boolean {
  if (one === other) return true;
  return contents.get(one)?.some((inside) => inside.has(other)) === true;
}

/** A subset of the keys. The accepted entries of a map that no longer changes are computed once. */
export class Selection {
  readonly takes: (key: number) => boolean;
  readonly #parts = new WeakMap<Layer, Layer>();

  /** `takes` must always return the same for a key. */
  constructor(takes: (key: number) => boolean) {
    this.takes = takes;
  }

  of(layer: Layer): Layer {
    const known = this.#parts.get(layer);
    if (known !== undefined) return known;
    const part = new Map([...layer].filter(([key]) => this.takes(key)));
    this.#parts.set(layer, part);
    return part;
  }
}

/** The bound of a key in a map; 0, which is lower than all bounds, if it has none. */
function boundIn(layer: Layer, key: number): number {
  const bound = layer.get(key);
  return bound === undefined ? 0 : bound;
}
