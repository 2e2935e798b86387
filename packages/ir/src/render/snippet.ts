import { CanvasRow, type Style } from './canvas.ts';
import { safeText, shownLine, windowOf } from './line-text.ts';

/** A range of one line, and its label. `start` and `end` count characters of the line from 0. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly primary: boolean;
}

/** The line `text` with its marks. The rows are at most `width` columns wide. */
export interface Snippet {
  readonly line: CanvasRow;
  readonly below: readonly CanvasRow[];
}

interface Underline {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly symbol: '^' | '-';
  readonly style: Style;
}

/**
 * Shows `marks`, at least one, in `text`. If marks are too far apart for one window of `width`
 * columns, the line has several snippets.
 */
export function snippetsOf(
  text: string,
  marks: readonly Mark[],
  width: number,
  primaryStyle: Style,
): readonly Snippet[] {
  const line = shownLine(text);
  const placed = marks
    .map((mark): Underline => {
      const from = line.columnOf(mark.start);
      return {
        from,
        to: Math.max(line.columnOf(mark.end), from + 1),
        text: safeText(mark.text).replaceAll(/\s+/g, ' '),
        symbol: mark.primary ? '^' : '-',
        style: mark.primary ? primaryStyle : 'secondary',
      };
    })
    .toSorted((a, b) => a.from - b.from || a.to - b.to);
  const from = Math.min(...placed.map((mark) => mark.from));
  const to = Math.max(...placed.map((mark) => mark.to));
  if (to - from > width && placed.length > 1) {
    return placed.flatMap((mark) => snippet(line.text, [mark], width));
  }
  return snippet(line.text, placed, width);
}

function snippet(text: string, marks: readonly Underline[], width: number): readonly Snippet[] {
  const from = Math.min(...marks.map((mark) => mark.from));
  const to = Math.max(...marks.map((mark) => mark.to));
  const window = windowOf(text, from, to, width);
  const line = new CanvasRow();
  line.write(0, window.text, 'plain');
  const moved = marks.map((mark) => ({
    ...mark,
    from: Math.max(0, mark.from - window.shift),
    to: Math.min(width, mark.to - window.shift),
  }));
  return [{ line, below: annotate(moved, width) }];
}

/**
 * The rows below a line: the underlines with the last label beside them, and the other labels
 * below.
 */
function annotate(marks: readonly Underline[], width: number): readonly CanvasRow[] {
  const underlines = new CanvasRow();
  // Primary marks are written last, so that they stay visible.
  for (const symbol of ['-', '^']) {
    for (const mark of marks) {
      if (mark.symbol === symbol) underlines.write(mark.from, symbol.repeat(mark.to - mark.from), mark.style);
    }
  }
  const rows = [underlines];
  const hanging = marks.filter((mark) => mark.text !== '');
  const last = hanging.at(-1);
  if (last !== undefined && marks.every((mark) => mark === last || mark.to <= last.from)) {
    if (underlines.width + 1 + last.text.length <= width) {
      underlines.write(underlines.width + 1, last.text, last.style);
      hanging.pop();
    }
  }
  if (hanging.length > 0) rows.push(bars(hanging));
  while (hanging.length > 0) {
    const mark = hanging.pop();
    if (mark !== undefined) rows.push(...hang(mark, hanging, width));
  }
  return rows;
}

/** A row with a bar under the start of each mark. */
function bars(marks: readonly Underline[]): CanvasRow {
  const row = new CanvasRow();
  for (const mark of marks) row.write(mark.from, '|', mark.style);
  return row;
}

/** The label of `mark`, in as many rows as it needs, with the bars of the marks to its left. */
function hang(mark: Underline, left: readonly Underline[], width: number): readonly CanvasRow[] {
  // A text that is too long for the space to its right is wrapped. If the space is very narrow, the
  // text starts further left.
  const room = width - mark.from;
  const broken = mark.text.length > room && room >= width / 3;
  const column = broken ? mark.from : Math.max(0, Math.min(mark.from, width - mark.text.length));
  return wrap(mark.text, width - column).map((part) => {
    const row = bars(left.filter((other) => other.from < column));
    row.write(column, part, mark.style);
    return row;
  });
}

/**
 * Wraps `text` between words into lines of at most `width` columns. A longer word is not broken.
 */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
