import type { Span } from '@nccl-ts/ir';

/**
 * Where lines come from. Functions are written apart and put together as text, so each line carries
 * the number of its span as a comment, until the text is complete.
 */
export class LineMarks {
  readonly #spans: Span[] = [];

  /** `text` with the mark of a span on each of its lines. */
  marked(text: string, span: Span): string {
    const number = this.#spans.push(span) - 1;
    return text
      .split('\n')
      .map((line) => `${line} //@${number}`)
      .join('\n');
  }

  /** The text without its marks, and the span of each of its lines. */
  read(text: string): { readonly text: string; readonly lines: readonly (Span | undefined)[] } {
    const lines: (Span | undefined)[] = [];
    const plain = text.split('\n').map((line) => {
      const mark = / \/\/@(\d+)$/.exec(line);
      lines.push(mark === null ? undefined : this.#spans[Number(mark[1])]);
      return mark === null ? line : line.slice(0, mark.index);
    });
    // The text ends with a line break, after which there is no line.
    return { text: plain.join('\n'), lines: lines.slice(0, -1) };
  }
}
