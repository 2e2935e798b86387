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
  readonly #own = new Map<number, number>();
  /** Those of others, which do not change. */
  #shared = new Set<Layer>();

  /** How many there are; a key that is in several maps counts in each. */
  get size(): number {
    let { size } = this.#own;
    for (const layer of this.#shared) size += layer.size;
    return size;
  }

  /** 0 where there is none. */
  get(key: number): number {
    let bound = this.#own.get(key) ?? 0;
    for (const layer of this.#shared) {
      const other = layer.get(key);
      if (other !== undefined && other > bound) bound = other;
    }
    return bound;
  }

  raise(key: number, bound: number): void {
    if (this.get(key) < bound) this.#own.set(key, bound);
  }

  /** Raises each to what it is in `other`, which does not change any more where it `isFinal`. */
  join(other: Bounds, isFinal: boolean): void {
    for (const layer of other.#shared) this.#shared.add(layer);
    if (isFinal && other.#own.size >= FEW) this.#shared.add(other.#own);
    else for (const [key, bound] of other.#own) this.raise(key, bound);
    if (this.#shared.size > MOST) this.#shared = new Set([this.entries()]);
  }

  /** Each key, with the greatest of its numbers. */
  entries(): ReadonlyMap<number, number> {
    const all = new Map(this.#own);
    for (const layer of this.#shared) {
      for (const [key, bound] of layer) if ((all.get(key) ?? 0) < bound) all.set(key, bound);
    }
    return all;
  }

  /** Forgets those for which `goes` says so; of a shared map that is of use in the greater part, none. */
  drop(goes: (key: number, bound: number) => boolean): void {
    for (const [key, bound] of this.#own) if (goes(key, bound)) this.#own.delete(key);
    for (const layer of this.#shared) {
      const left = [...layer].filter(([key, bound]) => !goes(key, bound));
      if (left.length * 2 > layer.size) continue;
      this.#shared.delete(layer);
      for (const [key, bound] of left) this.raise(key, bound);
    }
  }
}
