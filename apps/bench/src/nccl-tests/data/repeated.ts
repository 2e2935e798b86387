/**
 * The number of elements of one period of the pattern in large buffers. It is prime, so that data
 * that is misplaced by a block, a CTA's share or a rank's part differs from the expected data.
 */
export const PERIOD = 16381;

/** The most bytes that are copied or compared at once. */
const CHUNK = 1 << 24;

/** An endless sequence of bytes that repeats a pattern. */
export class Repeated {
  readonly #tile: Uint8Array;
  readonly #period: number;

  /** @param most - The most bytes that one call requests. */
  constructor(pattern: Uint8Array, most: number) {
    this.#period = pattern.byteLength;
    const copies = Math.ceil(Math.min(most, CHUNK) / pattern.byteLength) + 1;
    this.#tile = new Uint8Array(copies * pattern.byteLength);
    for (let i = 0; i < copies; i++) this.#tile.set(pattern, i * pattern.byteLength);
  }

  /**
   * Yields `count` bytes from byte `from` on, in pieces. Each piece is valid as long as this
   * object.
   */
  *pieces(from: number, count: number): Generator<Uint8Array> {
    for (let done = 0; done < count;) {
      const start = (from + done) % this.#period;
      const bytes = Math.min(count - done, CHUNK, this.#tile.byteLength - start);
      yield this.#tile.subarray(start, start + bytes);
      done += bytes;
    }
  }
}
