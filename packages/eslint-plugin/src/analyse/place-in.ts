import { offsetAt, type Source, type Span } from '@nccl-ts/ir';
import type { ModuleText } from '../evaluate/module-text.ts';

/** A range of a module's text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The range of `span` in `module`. If the span is in another file, such as a library, it is that of
 * the call which leads there. `undefined` if no call of the module does.
 */
export function placeIn(module: ModuleText, span: Span, sources: readonly Source[]): TextRange | undefined {
  for (let at: Span | undefined = span; at !== undefined; at = at.inlinedAt) {
    const range = ownRange(module, at, sources);
    if (range !== undefined) return range;
  }
  return undefined;
}

/** The range of `span`; `undefined` if it is in another file. */
export function ownRange(module: ModuleText, span: Span, sources: readonly Source[]): TextRange | undefined {
  const start = sources[span.source]?.locate?.(span.start);
  if (start?.file !== module.file) return undefined;
  const offset = offsetAt(module.text, start.line, start.column);
  return offset === undefined ? undefined : { start: offset, end: offset + span.end - span.start };
}
