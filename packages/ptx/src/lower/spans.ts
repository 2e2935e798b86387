import type { Source, Span } from '@nccl-ts/ir';
import type { PtxModule, PtxSpan } from '../syntax/module.ts';

/** Where instructions stand, for findings. */
export interface Spans {
  readonly sources: readonly Source[];
  of(at: { readonly span: PtxSpan }): Span;
}

/** Spans of the PTX text itself. */
export function spansOfText({ name, text }: PtxModule): Spans {
  return {
    sources: [{ name, text }],
    of: ({ span }) => ({ source: 0, start: span.start, end: span.end }),
  };
}
