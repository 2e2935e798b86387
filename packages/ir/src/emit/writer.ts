/** Collects lines of text, each at the current depth of indentation. */
export class Writer {
  readonly #unit: string;
  readonly #lines: string[] = [];
  #depth = 0;

  /** `unit` is one level of indentation. */
  constructor(unit = '  ') {
    this.#unit = unit;
  }

  /**
   * Adds one line; text with line breaks adds several, each indented. An empty line stays empty.
   */
  line(text = ''): this {
    for (const part of text.split('\n')) this.#lines.push(part === '' ? '' : this.#unit.repeat(this.#depth) + part);
    return this;
  }

  /**
   * Runs `write` with everything it adds one level deeper; the level returns also where it throws.
   */
  indented(write: () => void): this {
    this.#depth++;
    try {
      write();
    } finally {
      this.#depth--;
    }
    return this;
  }

  /** Writes `head`, then the lines of `write` one level deeper, then `tail`. */
  block(head: string, write: () => void, tail = '}'): this {
    return this.line(head).indented(write).line(tail);
  }

  /** The number of lines so far: the 0-based index of the next one. */
  get lineCount(): number {
    return this.#lines.length;
  }

  /** All lines, each with its line break. */
  toString(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }
}
