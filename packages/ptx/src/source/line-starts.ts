/** The lines of a text. */
export class LineStarts {
  readonly #text: string;
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#text = text;
    const starts = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  /**
   * The span from a position to the end of the statement or of its line. Positions are 1-based.
   * Column 0 is the start of the line's text.
   */
  piece(line: number, column: number): { readonly start: number; readonly end: number } {
    const first = this.#starts[line - 1];
    if (first === undefined) return { start: this.#text.length, end: this.#text.length };
    const last = this.#starts[line] ?? this.#text.length + 1;
    const whole = this.#text.slice(first, last - 1).trimEnd();
    const from = column === 0 ? whole.length - whole.trimStart().length : Math.min(column - 1, whole.length);
    const semicolon = whole.indexOf(';', from);
    return { start: first + from, end: first + (semicolon === -1 ? whole.length : semicolon) };
  }
}
