import { at } from '@nccl-ts/core';
import type { LaunchedKernel } from '../../program/changed-kernels.ts';
import type { Strengthening } from '../strengthening.ts';
import type { AuthorFile } from '../../author-range.ts';
import { authorStatements } from './author-statements.ts';
import { insertedStatements } from './inserted-statements.ts';
import { lineGaps } from './line-gaps.ts';
import { newSessions } from './new-sessions.ts';
import { otherContexts } from './other-contexts.ts';
import { strongerAccesses } from './stronger-accesses.ts';

/** The strengthenings of the kernels that their author may write in the file, in its order. */
export function programStrengthenings(
  kernels: readonly LaunchedKernel[],
  author: AuthorFile,
): readonly Strengthening[] {
  const known = new Map<string, Strengthening>();
  for (const kernel of kernels) {
    const statements = authorStatements(kernel.module, author);
    const gaps = lineGaps(statements, author);
    const all = [
      ...statements.flatMap((one) => strongerAccesses(one, author)),
      ...otherContexts(statements, author),
      ...gaps.flatMap((gap) => insertedStatements(gap, statements, author, kernel)),
      ...newSessions(kernel, gaps, statements, author),
    ];
    for (const one of all) {
      const key = one.edits.map(({ span, with: other }) => `${span.start} ${span.end} ${other}`).join();
      if (!known.has(key)) known.set(key, one);
    }
  }
  return [...known.values()].toSorted((a, b) => at(a.lines, 0) - at(b.lines, 0));
}
