import type { LocalId } from '../expression.ts';
import type { WaitAllStatement, WaitStatement } from '../statement.ts';
import { statementTarget } from '../visit/children.ts';
import { readLocals, statementReads } from '../visit/locals.ts';
import { walkBody } from '../visit/walk.ts';

/**
 * Returns the locals of a wait on whose values its condition depends. Values that only form
 * addresses, such as pointers from a table of the peers, are not among them.
 */
export function awaitedLocals({ body, condition }: WaitStatement | WaitAllStatement): ReadonlySet<LocalId> {
  const awaited = new Set(readLocals(condition));
  let size = -1;
  while (awaited.size !== size) {
    size = awaited.size;
    walkBody(body, {
      statement: (s) => {
        if (s.kind === 'load' || s.kind === 'atomic' || s.kind === 'store') return;
        const target = statementTarget(s);
        if (target !== undefined && !awaited.has(target)) return;
        for (const id of statementReads(s)) awaited.add(id);
      },
    });
  }
  return awaited;
}
