import { isMemoryOrder } from '@nccl-ts/core';
import type { Module } from '@nccl-ts/ir';
import { authorRange, type AuthorFile, type AuthorRange } from '../author-range.ts';
import { diffOf, editedSource, type Edit } from '../edits.ts';
import type { JudgedProgramPlace, WrittenOffers } from './program-report.ts';

/** Writes offers in the text of the author, as far as that can be done. */
export function writtenOffers(
  judged: readonly JudgedProgramPlace[],
  offers: readonly number[],
  modules: readonly Module[],
  textOf: (path: string) => string | undefined,
): readonly WrittenOffers[] {
  const files = new Map<string, { readonly file: AuthorFile; readonly edits: Edit[]; readonly offers: number[] }>();
  for (const index of offers) {
    const one = judged[index];
    const module = modules.find(({ name }) => name === one?.place.kernel);
    if (one === undefined || module === undefined) continue;
    const path = module.sources[one.place.span.source]?.locate?.(one.place.span.start)?.file;
    const text = path === undefined ? undefined : textOf(path);
    if (path === undefined || text === undefined) continue;
    const { file, ...known } = files.get(path) ?? { file: { path, text }, edits: [], offers: [] };
    const range = authorRange(module, one.place.span, file);
    const edit = range === undefined ? undefined : editOf(one, range, file.text);
    if (edit === undefined || known.edits.some(({ span }) => span.start < edit.span.end && edit.span.start < span.end))
      continue;
    known.edits.push(edit);
    known.offers.push(index);
    files.set(path, { file, ...known });
  }
  return [...files.values()].map(({ file: { path, text: before }, edits, offers: made }) => {
    const text = editedSource(before, edits);
    return Object.freeze({ path, edits, text, diff: diffOf(before, text, path), offers: made });
  });
}

/** The edit that makes an offer; `undefined` if it is more than a statement or a word. */
function editOf({ to }: JudgedProgramPlace, { start, end }: AuthorRange, text: string): Edit | undefined {
  if (to === undefined) return undefined;
  if (to === 'removed') return linesOf(start, end, text);
  const [word, ...others] = isMemoryOrder(to) ? namedOrders(text.slice(start, end)) : [];
  if (word === undefined || others.length > 0) return undefined;
  return { span: { start: start + word.start, end: start + word.end }, with: to };
}

/** Leaves out the lines of a statement, if nothing else is on them. */
function linesOf(start: number, end: number, text: string): Edit | undefined {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const next = text.indexOf('\n', end);
  const rest = text.slice(end, next === -1 ? text.length : next);
  if (text.slice(from, start).trim() !== '' || !/^\s*;?\s*(?:\/\/.*)?$/u.test(rest)) return undefined;
  // After `if (...)` or `else`, the next statement would take its place.
  if (!/[;{}]$/u.test(withoutComments(text.slice(0, from)))) return undefined;
  return { span: { start: from, end: next === -1 ? text.length : next + 1 }, with: '' };
}

/** A text without the comments and spaces at its end. */
function withoutComments(text: string): string {
  const shorter = text.trimEnd().replace(/(?:\/\*(?:[^*]|\*(?!\/))*\*\/|(?<=^|[;{}\n])[^\S\n]*\/\/[^\n]*)$/u, '');
  return shorter === text ? text : withoutComments(shorter);
}

/** The orders that a call names itself, and none that is named within its arguments. */
function namedOrders(call: string): readonly { readonly start: number; readonly end: number }[] {
  const found: { readonly start: number; readonly end: number }[] = [];
  let depth = 0;
  for (const { 0: part, index } of call.matchAll(/[()]|(['"`])(?:\\.|(?!\1).)*\1/gsu)) {
    if (part === '(') depth++;
    else if (part === ')') depth--;
    else if (depth === 1 && isMemoryOrder(part.slice(1, -1)))
      found.push({ start: index + 1, end: index + part.length - 1 });
  }
  return found;
}
