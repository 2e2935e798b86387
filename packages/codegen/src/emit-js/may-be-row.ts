import { assignedLocals, bodyReads, statementExpressions, walkBody, walkExpression } from '@nccl-ts/ir';

import type { JsContext } from './js-context.ts';
import type { ThreadRun } from './thread-run.ts';

/**
 * True if nothing in `run`, the body of a loop, depends on the thread or on the round, except
 * through the loop's counter, and the next round reads nothing that it sets.
 */
export function mayBeRow(context: JsContext, run: ThreadRun): boolean {
  const { statements, before, after, range } = run;
  const { varying } = context.uniformity;
  if (context.partialReturns) return false;
  if ([...assignedLocals(statements)].some((id) => after.has(id))) return false;
  const counted = new Set(range.inductions.map(({ local }) => local));
  for (const id of bodyReads(statements)) {
    const isGiven = before.has(id) || context.recomputable.has(id);
    if (varying.has(id) && isGiven && !counted.has(id)) return false;
  }
  let found = true;
  walkBody(statements, {
    statement: (s) => {
      found &&= s.kind !== 'atomic' && s.kind !== 'assert' && s.kind !== 'call';
      for (const e of statementExpressions(s)) {
        walkExpression(e, (node) => {
          found &&= node.kind !== 'builtin' || context.uniformity.isUniform(node);
        });
      }
    },
  });
  return found;
}
