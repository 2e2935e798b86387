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
   * Adds one line, or several indented ones if the text has line breaks. An empty line stays empty.
   */
  line(text = ''): this {
    for (const part of text.split('\n')) this.#lines.push(part === '' ? '' : this.#unit.repeat(this.#depth) + part);
    return this;
  }

  /**
   * Runs `write`, and indents everything that it adds by one level. The level is restored even if
   * `write` throws.
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

  /** Adds `head`, then the lines of `write` one level deeper, then `tail`. */
  block(head: string, write: () => void, tail = '}'): this {
    return this.line(head).indented(write).line(tail);
  }

  /** The number of lines so far, which is the 0-based index of the next line. */
  get lineCount(): number {
    return this.#lines.length;
  }

  /** Returns all lines, each with its line break. */
  toString(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }
}
