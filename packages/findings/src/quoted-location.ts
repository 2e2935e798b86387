import type { KernelText } from '@nccl-ts/transport';
import { lineAt, quoteOf, type Quote, type SourceLocation, type Span } from '@nccl-ts/ir';

/** A source location in a kernel, ready to print. */
export interface QuotedLocation {
  readonly span: Span;
  /** The name of the captured text. */
  readonly source: string;
  /** 1-based, in the captured text. */
  readonly line: number;
  readonly column: number;
  /** The text of the line, without its break. */
  readonly text: string;
  /** The location in the author's own file, if that is known. */
  readonly location?: SourceLocation;
  /** The line to show. It is the author's, if that is known. */
  readonly quote: Quote;
  /** The call site of the enclosing device function. */
  readonly inlinedAt?: QuotedLocation;
  /**
   * True if the location is in the author's own file. It is then shown instead of the call that led
   * there.
   */
  readonly isOwn?: true;
}

export function quotedLocation(kernel: KernelText, span: Span): QuotedLocation | undefined {
  const source = kernel.sources[span.source];
  if (source === undefined) return undefined;
  const { line, column, text } = lineAt(source.text, span.start);
  const quote = quoteOf(source, span);
  const { location } = quote;
  const inlinedAt = span.inlinedAt === undefined ? undefined : quotedLocation(kernel, span.inlinedAt);
  return Object.freeze({
    span,
    source: source.name,
    line,
    column,
    text,
    quote,
    ...(location === undefined ? {} : { location }),
    ...(inlinedAt === undefined ? {} : { inlinedAt }),
    ...(source.isOwn === undefined ? {} : { isOwn: source.isOwn }),
  });
}

/** The number of the captured text for locations in host programs, which have none. */
const HOST = -1;

/** The location of a host program's call. It covers the name of what is called. */
export function quotedCallSite(location: SourceLocation): QuotedLocation {
  const { file, line, column, text = '' } = location;
  const start = column - 1;
  const [callee = ''] = /^[\p{ID_Continue}$.#]*/u.exec(text.slice(start)) ?? [];
  const end = start + callee.length;
  return Object.freeze({
    span: Object.freeze({ source: HOST, start: 0, end: callee.length }),
    source: file,
    line,
    column,
    text,
    location,
    quote: Object.freeze({ text, from: 'author', line, start, end, location }),
  });
}

/** `file.ts:12:3` where the file is known, else `name:2:5` in the captured text. */
export function locationName(location: QuotedLocation): string {
  const at = location.location;
  return at === undefined
    ? `${location.source}:${location.line}:${location.column}`
    : `${at.file}:${at.line}:${at.column}`;
}
