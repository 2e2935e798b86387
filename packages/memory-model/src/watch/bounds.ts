/** Of fewer, a copy costs less than one more place to look into. */
const FEW = 16;
/** So many maps are looked into one after the other; more become one. */
const MOST = 64;

type Layer = ReadonlyMap<number, number>;

/**
 * Numbers by key that only grow. What threads learn of one another, word by word, is thousands of them, and all of a CTA learn the same:
 * so maps that nobody changes any more are shared and not copied.
 */
export class Bounds {
  /** Absent where nothing was raised: there is a clock for each launch, and most learn nothing of single threads. */
  #own: Map<number, number> | undefined;
  /** Those of others, which do not change; absent where there are none. */
  #shared: Set<Layer> | undefined;

  /** How many there are; a key that is in several maps counts in each. */
  get size(): number {
    let size = this.#own === undefined ? 0 : this.#own.size;
    for (const layer of this.#shared ?? []) size += layer.size;
    return size;
  }

  /** 0 where there is none: no bound is lower. */
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
    if (this.get(key) < bound) (this.#own ??= new Map()).set(key, bound);
  }

  /** Raises each to what it is in `other`, which does not change any more where it `isFinal`. */
  join(other: Bounds, isFinal: boolean): void {
    for (const layer of other.#shared ?? []) this.#share(layer);
    const own = other.#own;
    if (own === undefined) return;
    if (isFinal && own.size >= FEW) this.#share(own);
    else for (const [key, bound] of own) this.raise(key, bound);
    if (this.#shared !== undefined && this.#shared.size > MOST) this.#shared = new Set([this.entries()]);
  }

  #share(layer: Layer): void {
    (this.#shared ??= new Set()).add(layer);
  }

  /** Each key, with the greatest of its numbers. */
  entries(): ReadonlyMap<number, number> {
    const all = new Map(this.#own);
    for (const layer of this.#shared ?? []) {
      for (const [key, bound] of layer) if (boundIn(all, key) < bound) all.set(key, bound);
    }
    return all;
  }

  /** Forgets those for which `goes` says so; of a shared map that is of use in the greater part, none. */
  drop(goes: (key: number, bound: number) => boolean): void {
    for (const [key, bound] of this.#own ?? []) if (goes(key, bound)) this.#own?.delete(key);
    for (const layer of this.#shared ?? []) {
      const left = [...layer].filter(([key, bound]) => !goes(key, bound));
      if (left.length * 2 > layer.size) continue;
      this.#shared?.delete(layer);
      // Other layers may have more of a key: whoever asks takes the greatest, and to look into all of them here costs more.
      const own = (this.#own ??= new Map());
      for (const [key, bound] of left) if (boundIn(own, key) < bound) own.set(key, bound);
    }
  }
}

/** What a map has for a key; 0, which is lower than all bounds, where it has nothing. */
function boundIn(layer: Layer, key: number): number {
  const bound = layer.get(key);
  return bound === undefined ? 0 : bound;
}
