import type { KernelText } from '@nccl-ts/transport';
import { lineAt, quoteOf, type Quote, type SourceLocation, type Span } from '@nccl-ts/ir';

/** A place in a kernel, found and ready to print. */
export interface SourcePlace {
  readonly span: Span;
  /** The name of the captured text. */
  readonly source: string;
  /** 1-based, in the captured text. */
  readonly line: number;
  readonly column: number;
  /** That line, without its break. */
  readonly text: string;
  /** Where the author's own file has it, if that is known. */
  readonly location?: SourceLocation;
  /** What to show of it: the author's line, if that is known. */
  readonly quote: Quote;
  /** Where the device function that it stands in was called. */
  readonly inlinedAt?: SourcePlace;
  /** It stands in a file of the author's own: it is shown, and not the call that led there. */
  readonly isOwn?: true;
}

export function placeOf(kernel: KernelText, span: Span): SourcePlace | undefined {
  const source = kernel.sources[span.source];
  if (source === undefined) return undefined;
  const { line, column, text } = lineAt(source.text, span.start);
  const quote = quoteOf(source, span);
  const { location } = quote;
  const inlinedAt = span.inlinedAt === undefined ? undefined : placeOf(kernel, span.inlinedAt);
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

/** `file.ts:12:3` where the file is known, else `name:2:5` in the captured text. */
export function placeName(place: SourcePlace): string {
  const at = place.location;
  return at === undefined ? `${place.source}:${place.line}:${place.column}` : `${at.file}:${at.line}:${at.column}`;
}
