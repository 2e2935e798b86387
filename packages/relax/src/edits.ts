import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
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

/** The difference of two texts of PTX. `name` may be that of the source that it comes from. */
export function ptxDiffOf(before: string, after: string, name: string): string {
  return diffOf(before, after, name.replace(/\.\w+$/u, '.ptx'));
}

/** The difference of two texts, as a unified diff. Empty if they are the same. */
export function diffOf(before: string, after: string, name: string): string {
  if (before === after) return '';
  const patch = structuredPatch(name, name, before, after, undefined, undefined, { context: 3 });
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

/** Applies edits that do not overlap. Lines get other numbers. */
export function editedSource(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.span.start - a.span.start)
    .reduce((made, { span, with: other }) => made.slice(0, span.start) + other + made.slice(span.end), text);
}

/** The text with edits, in which each insertion has a line of its own. */
export function withOwnLines(text: string, edits: readonly Edit[]): string {
  const lines = text.split('\n');
  for (const { first, old, made } of linesOfEdits(text, edits).toReversed())
    lines.splice(first - 1, old.length, ...made);
  return lines.join('\n');
}

interface ChangedLines {
  /** The number of the first line, from 1. */
  readonly first: number;
  readonly old: readonly string[];
  readonly made: readonly string[];
}

/** The lines that edits change. Edits of one line are taken together. */
function linesOfEdits(text: string, edits: readonly Edit[]): readonly ChangedLines[] {
  const groups: { start: number; end: number; edits: Edit[] }[] = [];
  for (const edit of edits.toSorted((a, b) => a.span.start - b.span.start)) {
    const start = text.lastIndexOf('\n', edit.span.start - 1) + 1;
    const next = text.indexOf('\n', edit.span.end);
    const end = next === -1 ? text.length : next;
    const last = groups.at(-1);
    if (last !== undefined && start < last.end) {
      last.end = Math.max(last.end, end);
      last.edits.push(edit);
    } else groups.push({ start, end, edits: [edit] });
  }
  return groups.map(({ start, end, edits: own }) => {
    const old = text.slice(start, end);
    const [indent = ''] = /^\s*/u.exec(old) ?? [];
    const moved = own.map(({ span, with: other }) => ({
      span: { start: span.start - start, end: span.end - start },
      with: span.start === span.end && !other.endsWith('\n') ? `${other.trimEnd()}\n${indent}` : other,
    }));
    const made = edited(old, moved)
      .split('\n')
      .filter((line) => line.trim() !== '');
    return { first: text.slice(0, start).split('\n').length, old: old.split('\n'), made };
  });
}
