/** A relation on the events 0 to `size` - 1, as a matrix of bits. */
export class Relation {
  readonly size: number;
  readonly #words: number;
  readonly #bits: Uint32Array;

  constructor(size: number, bits?: Uint32Array) {
    this.size = size;
    this.#words = Math.ceil(size / 32);
    this.#bits = bits ?? new Uint32Array(size * this.#words);
  }

  has(from: number, to: number): boolean {
    return (((this.#bits[from * this.#words + (to >>> 5)] ?? 0) >>> (to & 31)) & 1) === 1;
  }

  add(from: number, to: number): void {
    const at = from * this.#words + (to >>> 5);
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (to & 31));
  }

  /** Returns `this` with one more pair. */
  with(from: number, to: number): Relation {
    const result = this.copy();
    result.add(from, to);
    return result;
  }

  copy(): Relation {
    return new Relation(this.size, this.#bits.slice());
  }

  union(other: Relation): Relation {
    return new Relation(
      this.size,
      this.#bits.map((bits, at) => bits | (other.#bits[at] ?? 0)),
    );
  }

  intersection(other: Relation): Relation {
    return new Relation(
      this.size,
      this.#bits.map((bits, at) => bits & (other.#bits[at] ?? 0)),
    );
  }

  /** The composition: one step of `this`, and then one of `other`. */
  then(other: Relation): Relation {
    const result = new Relation(this.size);
    for (let from = 0; from < this.size; from++) {
      for (let middle = 0; middle < this.size; middle++) {
        if (this.has(from, middle)) result.#mergeRow(from, other, middle);
      }
    }
    return result;
  }

  inverse(): Relation {
    return relationOf(this.size, (from, to) => this.has(to, from));
  }

  equals(other: Relation): boolean {
    return this.#bits.every((bits, at) => bits === other.#bits[at]);
  }

  /** The reflexive closure. */
  reflexive(): Relation {
    const result = this.copy();
    for (let event = 0; event < this.size; event++) result.add(event, event);
    return result;
  }

  /** The transitive closure. */
  closure(): Relation {
    const result = this.copy();
    for (let middle = 0; middle < this.size; middle++) {
      for (let from = 0; from < this.size; from++) {
        if (result.has(from, middle)) result.#mergeRow(from, result, middle);
      }
    }
    return result;
  }

  isIrreflexive(): boolean {
    for (let event = 0; event < this.size; event++) if (this.has(event, event)) return false;
    return true;
  }

  isAcyclic(): boolean {
    return this.closure().isIrreflexive();
  }

  isEmpty(): boolean {
    return this.#bits.every((bits) => bits === 0);
  }

  #mergeRow(into: number, other: Relation, row: number): void {
    for (let word = 0; word < this.#words; word++) {
      const at = into * this.#words + word;
      this.#bits[at] = (this.#bits[at] ?? 0) | (other.#bits[row * this.#words + word] ?? 0);
    }
  }
}

/** The pairs of `size` events for which `related` holds. */
export function relationOf(size: number, related: (from: number, to: number) => boolean): Relation {
  const result = new Relation(size);
  for (let from = 0; from < size; from++) {
    for (let to = 0; to < size; to++) if (related(from, to)) result.add(from, to);
  }
  return result;
}
