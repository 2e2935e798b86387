const tab = '    ';
// Control characters and bidirectional marks would let a kernel's text change the report around it.
const unsafe = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Replaces characters of `text` that could disturb a terminal. The length stays the same. */
export function safeText(text: string): string {
  return text.replaceAll(unsafe, '\ufffd');
}

/** A line of captured text as it is shown: tabs as spaces. */
export interface ShownLine {
  readonly text: string;
  /** The column at which character number `index` of the line is shown, both from 0. */
  columnOf(index: number): number;
}

export function shownLine(line: string): ShownLine {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  const expand = (part: string): string => safeText(part).replaceAll('\t', tab);
  return { text: expand(text), columnOf: (index) => expand(text.slice(0, index)).length };
}

/** A part of a long line. `cut` names the sides at which an ellipsis replaces the rest. */
export interface LineExcerpt {
  readonly text: string;
  /** The offset from a column of the line to a column of the window. */
  readonly shift: number;
}

/**
 * Returns the part of `text`, at most `width` columns wide, that shows as much of columns `from` to
 * `to` as possible.
 */
export function windowOf(text: string, from: number, to: number, width: number): LineExcerpt {
  if (text.length <= width) return { text, shift: 0 };
  const room = Math.max(0, width - (to - from));
  const start = Math.max(0, Math.min(from - Math.floor(room / 2), text.length - width));
  const shown = text.slice(start, start + width);
  const left = start > 0 ? `…${shown.slice(1)}` : shown;
  return { text: start + width < text.length ? `${left.slice(0, -1)}…` : left, shift: start };
}
