import type { Expression, LocalId } from '../expression.ts';
import type { Body, Statement } from '../statement.ts';
import { statementTarget } from '../visit/children.ts';
import { readLocals } from '../visit/locals.ts';
import { walkBody } from '../visit/walk.ts';
import { mayFault } from './may-fault.ts';

/**
 * Finds the locals that need not be kept across a cut. One assignment sets such a local to a pure
 * function of constant values: built-ins, parameters and other such locals. So evaluating the
 * expression anywhere in the thread gives the local's value. Functions that may fault are excluded,
 * because evaluating them elsewhere would add faults.
 */
export function recomputableLocals(body: Body): ReadonlyMap<LocalId, Expression> {
  const values = new Map<LocalId, Expression | undefined>();
  walkBody(body, {
    statement: (s: Statement) => {
      const target = statementTarget(s);
      if (target === undefined) return;
      const single = s.kind === 'assign' && !values.has(target) && !mayFault(s.value);
      values.set(target, single ? s.value : undefined);
    },
  });
  const found = new Map<LocalId, Expression>();
  let before: number;
  do {
    before = found.size;
    for (const [id, value] of values) {
      if (value === undefined || found.has(id)) continue;
      if ([...readLocals(value)].every((read) => found.has(read))) found.set(id, value);
    }
  } while (found.size > before);
  return found;
}
