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

/**
 * The difference that edits make, as a unified diff without context. Each insertion, such as
 * `bar.sync 0; `, gets a line of its own. Empty if there are no edits.
 */
export function diffOfEdits(text: string, edits: readonly Edit[], name: string): string {
  const hunks = linesOfEdits(text, edits).map(({ first, old, made }) => {
    const range = (count: number): string => `${first}${count === 1 ? '' : `,${count}`}`;
    const isInserted = made.at(-1) === old[0] && old.length === 1;
    const kept = isInserted ? [] : old;
    const added = isInserted ? made.slice(0, -1) : made;
    const at = isInserted ? `-${first - 1},0` : `-${range(old.length)}`;
    return [
      `@@ ${at} +${range(added.length)} @@`,
      ...kept.map((line) => `-${line}`),
      ...added.map((line) => `+${line}`),
    ];
  });
  return hunks.length === 0 ? '' : `${[`--- ${name}`, `+++ ${name}`, ...hunks.flat()].join('\n')}\n`;
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
