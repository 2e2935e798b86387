import { at } from '@nccl-ts/core';
import type { Module } from '@nccl-ts/ir';
import type { Strengthening } from '../strengthening.ts';
import type { AuthorFile } from './author-program.ts';
import { authorStatements } from './author-statements.ts';
import { insertedStatements } from './inserted-statements.ts';
import { lineGaps } from './line-gaps.ts';
import { strongerAccesses } from './stronger-accesses.ts';

/** The strengthenings of the kernels that their author may write in the file, in its order. */
export function programStrengthenings(modules: readonly Module[], author: AuthorFile): readonly Strengthening[] {
  const known = new Map<string, Strengthening>();
  for (const module of modules) {
    const statements = authorStatements(module, author);
    const all = [
      ...statements.flatMap((one) => strongerAccesses(one, author)),
      ...lineGaps(statements, author).flatMap((gap) => insertedStatements(gap, statements, author)),
    ];
    for (const one of all) {
      const key = one.edits.map(({ span, with: other }) => `${span.start} ${span.end} ${other}`).join();
      if (!known.has(key)) known.set(key, one);
    }
  }
  return [...known.values()].toSorted((a, b) => at(a.lines, 0) - at(b.lines, 0));
}
