import { lineAt, type Source, type SourceLocation, type Span } from './span.ts';

/**
 * The part of a line that a report shows for a span: the line in which it begins, and its range
 * there.
 */
export interface Quote {
  /**
   * The author's line if it is known, and otherwise the line of the captured text. It has no line
   * break.
   */
  readonly text: string;
  readonly from: 'author' | 'captured';
  /**
   * The number of the line, from 1, in the author's file if it is known, and otherwise in the
   * captured text.
   */
  readonly line: number;
  /**
   * The range of characters of `text` that the span covers, from 0, `end` exclusive. A span of
   * several lines covers the rest of this line.
   */
  readonly start: number;
  readonly end: number;
  /** The start of the span in the author's file. */
  readonly location?: SourceLocation;
}

/**
 * Returns the line to show for a span of `source`. If a tool has transformed the text, this is the
 * author's line if the source can map it.
 */
export function quoteOf(source: Source, span: Span): Quote {
  const location = source.locate?.(span.start);
  if (location?.text !== undefined) {
    const range = authorRange(location, location.text, span, source);
    return { text: location.text, from: 'author', line: location.line, ...range, location };
  }
  const { line, column, text } = lineAt(source.text, span.start);
  const start = column - 1;
  const end = Math.min(start + Math.max(0, span.end - span.start), text.length);
  const common = { text, from: 'captured', start, end } as const;
  return location === undefined ? { ...common, line } : { ...common, line: location.line, location };
}

/** The range of a span in the author's line in which it begins. */
function authorRange(
  { file, line, column }: SourceLocation,
  text: string,
  span: Span,
  source: Source,
): { readonly start: number; readonly end: number } {
  const lineEnd = text.trimEnd().length;
  const start = Math.min(column - 1, text.length);
  if (span.end <= span.start) return { start, end: start };
  // A position that is mapped to a blank is mapped to its line only.
  if (/^\s/.test(text.slice(start))) return { start: text.length - text.trimStart().length, end: lineEnd };
  const columnOf = (offset: number): number | undefined => {
    const at = source.locate?.(offset);
    return at?.file === file && at.line === line ? at.column : undefined;
  };
  // The position after the span may be mapped to a position beyond a blank.
  const behind = columnOf(span.end);
  const end = behind === undefined ? start : start + text.slice(start, behind - 1).trimEnd().length;
  if (end > start) return { start, end };
  // It may also be mapped to another line, or to the same position as the span's last word.
  const last = columnOf(span.end - 1);
  if (last === undefined) return { start, end: lineEnd };
  const from = Math.max(start, last - 1);
  const word = /^[\p{ID_Continue}$]+/u.exec(text.slice(from))?.[0] ?? '';
  return { start, end: Math.min(from + Math.max(1, word.length), text.length) };
}
