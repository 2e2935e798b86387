import { after, known, type Later } from '@nccl-ts/memory-model';

/** One thread's own arrays. They are private, so their bytes need no decisions. */
export class LocalMemory {
  readonly #words: Map<number, { readonly bytes: number; readonly bits: Later<bigint> }>;

  /** Copies the current bytes of `other`. */
  constructor(other?: LocalMemory) {
    this.#words = new Map(other === undefined ? [] : other.#words);
  }

  load(at: number, bytes: number): Later<bigint> {
    const word = this.#words.get(at);
    if (word?.bytes === bytes) return word.bits;
    const parts = this.#touching(at, bytes);
    return after(
      parts.map(({ bits }) => bits),
      () => {
        let all = 0n;
        for (const part of parts) {
          const shift = BigInt(8 * (part.at - at));
          const bits = known(part.bits);
          all |= shift >= 0n ? bits << shift : bits >> -shift;
        }
        return BigInt.asUintN(8 * bytes, all);
      },
    );
  }

  store(at: number, bytes: number, bits: Later<bigint>): void {
    for (const part of this.#touching(at, bytes)) {
      this.#words.delete(part.at);
      this.#keep(part, part.at, at);
      this.#keep(part, at + bytes, part.at + part.bytes);
    }
    this.#words.set(at, { bytes, bits });
  }

  /** The rest of an overwritten word, between two addresses. */
  #keep(part: StoredBits, from: number, to: number): void {
    const first = Math.max(from, part.at);
    const bytes = Math.min(to, part.at + part.bytes) - first;
    if (bytes <= 0) return;
    const shift = BigInt(8 * (first - part.at));
    const bits = after([part.bits], () => BigInt.asUintN(8 * bytes, known(part.bits) >> shift));
    this.#words.set(first, { bytes, bits });
  }

  #touching(at: number, bytes: number): readonly StoredBits[] {
    return [...this.#words]
      .filter(([first, word]) => first < at + bytes && at < first + word.bytes)
      .map(([first, word]) => ({ at: first, ...word }));
  }
}

interface StoredBits {
  readonly at: number;
  readonly bytes: number;
  readonly bits: Later<bigint>;
}
