import { at as itemAt } from '@nccl-ts/core';
/** The index of a text in `Module.sources`. */
export type SourceId = number;

/** A range of captured text, in UTF-16 offsets. `end` is exclusive. */
export interface Span {
  readonly source: SourceId;
  readonly start: number;
  readonly end: number;
  /** The call at which the text was inlined, if it is the text of a device function. */
  readonly inlinedAt?: Span;
}

/** A position in the author's own file. */
export interface SourceLocation {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** The line as its author wrote it, without its break. Absent if only the position is known. */
  readonly text?: string;
}

/**
 * A text that a kernel or device function was captured from.
 *
 * `locate` maps an offset, including that of the text's end, to the author's file if possible. It
 * may be slow, so it is called only for reports. It returns `undefined` if it cannot map the
 * running text back. For an offset inside a word it may return the start of the word.
 */
export interface Source {
  readonly name: string;
  readonly text: string;
  readonly locate?: (offset: number) => SourceLocation | undefined;
  /**
   * True for the author's own file. A finding then shows the line in it, and not the call at which
   * it was inlined.
   */
  readonly isOwn?: true;
}

/** 1-based line and column of an offset in `text`, and that line without its break. */
export function lineAt(text: string, offset: number): { line: number; column: number; text: string } {
  const at = Math.max(0, Math.min(offset, text.length));
  const starts = lineStarts(text);
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (itemAt(starts, middle) <= at) low = middle + 1;
    else high = middle;
  }
  const start = itemAt(starts, low - 1);
  const next = starts[low];
  return { line: low, column: at - start + 1, text: text.slice(start, next === undefined ? text.length : next - 1) };
}

/**
 * The offset of a 1-based line and column in `text`; `undefined` where the text has no such line.
 * The line may be shorter than the column.
 */
export function offsetAt(text: string, line: number, column: number): number | undefined {
  const start = lineStarts(text)[line - 1];
  return start === undefined ? undefined : start + column - 1;
}

/** A cache of the last texts, because reports look up every access of a kernel. */
const known = new Map<string, readonly number[]>();
const MOST_KNOWN = 32;

function lineStarts(text: string): readonly number[] {
  const before = known.get(text);
  if (before !== undefined) return before;
  const starts = [0];
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, starts);
  return starts;
}
