import { lineAt, quoteOf, type Quote, type Source, type SourceLocation, type Span } from '@nccl-ts/ir';

/** What messages need of a kernel: its name, and the texts it was captured from. */
export interface KernelText {
  readonly name: string;
  readonly sources: readonly Source[];
}

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

/**
 * The line of the kernel from which one got to the place, with carets under it, and the places inside of device functions
 * on the way. What `label` says of it stands behind the carets, or below where there is no room:
 *
 * ```
 *   --> all-reduce.ts:12:3
 *    12 | bar.sync(coopCta(), 'acquire');
 *       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ label
 *   in lsa-barrier-functions.ts:56:5
 * ```
 *
 * A place in the author's own file is shown itself, with the places that it was called at.
 */
export function excerpt(place: SourcePlace, label?: string): string {
  const { inlinedAt } = place;
  if (place.isOwn === true)
    return [lineExcerpt(place, label), ...callsOf(place).map((at) => `  called at ${at}`)].join('\n');
  return inlinedAt === undefined ? lineExcerpt(place, label) : `${excerpt(inlinedAt, label)}\n  in ${placeName(place)}`;
}

/** Where one was called from, the nearest first. */
function callsOf({ inlinedAt }: SourcePlace): readonly string[] {
  return inlinedAt === undefined ? [] : [placeName(inlinedAt), ...callsOf(inlinedAt)];
}

/** Columns that carets and what is said of them may take up together. */
const MOST_COLUMNS = 100;

function lineExcerpt(place: SourcePlace, label: string | undefined): string {
  const { quote } = place;
  const line = String(quote.line);
  const gutter = `   ${' '.repeat(line.length)} |`;
  const indent = quote.text.length - quote.text.trimStart().length;
  // Captured text is as wide as its author made it; a minified kernel is one line of thousands of columns.
  const from = quote.start - indent > 80 ? quote.start - 40 : indent;
  const text = quote.text.slice(from, from + 120).trimEnd();
  const column = Math.max(0, quote.start - from);
  const carets = Math.max(1, Math.min(quote.end - quote.start, text.length - column));
  const margin = text.slice(0, column).replaceAll(/[^\t]/g, ' ');
  const marked = `${gutter} ${margin}${'^'.repeat(carets)}`;
  const head = [`  --> ${placeName(place)}`, `   ${line} | ${text}`];
  if (label === undefined) return [...head, marked].join('\n');
  if (column + carets + label.length < MOST_COLUMNS) return [...head, `${marked} ${label}`].join('\n');
  return [...head, marked, `${gutter} ${column + label.length < MOST_COLUMNS ? margin : ''}${label}`].join('\n');
}
