import { offsetAt, type Module, type Source, type Span } from '@nccl-ts/ir';

/** A file with kernels or device functions, and its text. */
export interface AuthorFile {
  readonly path: string;
  readonly text: string;
}

/** A range of an author's file, as offsets, and its first and last line, from 1. */
export interface AuthorRange {
  /** The text that a kernel was captured from. */
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly lastLine: number;
}

/** Where a span of a kernel is in a file; `undefined` if its author has not written it there. */
export function authorRange(module: Module, span: Span, { path, text }: AuthorFile): AuthorRange | undefined {
  const source = module.sources[span.source];
  if (source === undefined) return undefined;
  const placeOf = (at: number): { readonly offset: number; readonly line: number } | undefined => {
    const location = source.locate?.(at);
    if (location?.file !== path) return undefined;
    const offset = offsetAt(text, location.line, location.column);
    return offset === undefined ? undefined : { offset, line: location.line };
  };
  // The position after a span may be that of the next word.
  const [first, last] = [placeOf(span.start), placeOf(span.end - 1)];
  if (first === undefined || last === undefined || last.offset < first.offset) return undefined;
  return { source, start: first.offset, end: last.offset + 1, line: first.line, lastLine: last.line };
}
