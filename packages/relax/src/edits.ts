import type { PtxSpan } from '@nccl-ts/ptx';

/** A change of a text: `with` in place of the characters of `span`. */
export interface Edit {
  readonly span: PtxSpan;
  readonly with: string;
}

/** Applies edits that do not overlap. Every line keeps its number. */
export function edited(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { span, with: other } of edits.toSorted((a, b) => a.span.start - b.span.start)) {
    const lines = text.slice(span.start, span.end).split('\n').length - other.split('\n').length;
    parts.push(text.slice(at, span.start), other, '\n'.repeat(Math.max(0, lines)));
    at = span.end;
  }
  return [...parts, text.slice(at)].join('');
}

/**
 * The lines that two texts with the same number of lines do not share, as a unified diff without
 * context. Empty if there are none.
 */
export function diffOf(before: string, after: string, name: string): string {
  const [old, made] = [before.split('\n'), after.split('\n')];
  const changed = old.flatMap((line, i) => {
    const other = made[i] ?? '';
    if (line === other) return [];
    const range = `@@ -${i + 1} +${i + 1} @@`;
    return [range, `-${line}`, ...(other.trim() === '' ? [] : [`+${other}`])];
  });
  return changed.length === 0 ? '' : `${[`--- ${name}`, `+++ ${name}`, ...changed].join('\n')}\n`;
}
