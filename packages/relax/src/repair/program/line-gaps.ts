import { offsetAt } from '@nccl-ts/ir';
import type { AuthorFile } from '../../author-range.ts';
import type { AuthorStatement } from './author-statements.ts';

/** A line of the file before which a statement can stand. */
export interface LineGap {
  /** From 1. */
  readonly line: number;
  readonly indent: string;
  readonly depth: number;
  /** The statement before or after it, from whose function it takes its names. */
  readonly beside: AuthorStatement;
}

/** The lines at which statements of the author begin, and those after the last of a body. */
export function lineGaps(statements: readonly AuthorStatement[], { text }: AuthorFile): readonly LineGap[] {
  const lines = text.split('\n');
  const lineAt = (line: number): string => lines[line - 1]?.trimEnd() ?? '';
  const indentOf = (line: number): string => /^\s*/u.exec(lineAt(line))?.[0] ?? '';
  const leaves = statements.filter(({ isBlock }) => !isBlock);
  const isInside = (line: number): boolean => leaves.some((one) => one.line < line && line <= one.lastLine);
  const gaps = new Map<number, LineGap>();
  const add = (line: number, indent: string, beside: AuthorStatement): void => {
    if (line > lines.length || isInside(line) || UNBRACED.test(lineAt(line - 1))) return;
    if (!gaps.has(line)) gaps.set(line, { line, indent, depth: beside.depth, beside });
  };
  for (const one of statements) {
    const before = text.slice(offsetAt(text, one.line, 1), one.start);
    if (BEGINNING.test(before)) add(one.line, indentOf(one.line), one);
  }
  for (const one of statements) {
    const [after = ''] = text.slice(one.end).split('\n', 1);
    if (ENDING.test(after)) add(one.lastLine + 1, indentOf(one.line), one);
  }
  return [...gaps.values()];
}

/** The text of a line before its first statement, such as `const first = `. */
const BEGINNING = /^\s*(?:(?:const|let|var)\s[^=]*=\s*|return\s+|[\w$.[\]]+\s*[-+*/%|&^]?=\s*)?$/u;
/** The text of a line after its last statement. */
const ENDING = /^[\s;]*(?:\/\/.*)?$/u;
/** A line whose condition holds for the next line alone. */
const UNBRACED = /^\s*(?:\}?\s*else\s+)?(?:if|for|while)\b.*\)\s*$|\belse\s*$|=>\s*$/u;
