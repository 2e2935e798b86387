import type { LocalId } from '../expression.ts';
import type { Body, Statement } from '../statement.ts';
import { statementReads } from '../visit/locals.ts';

/**
 * Returns the loads and computations of `body` on whose results `last`, which comes after them,
 * depends. The body's other statements have no effect on these.
 */
export function deciding(body: Body, last: Statement): Body {
  const needed = new Set(statementReads(last));
  let before: number;
  let part: Body;
  do {
    before = needed.size;
    part = partOf(body, needed);
  } while (needed.size > before);
  return part;
}

/** Returns the statements that set one of `needed`, to which it adds what they read. */
function partOf(body: Body, needed: Set<LocalId>): Body {
  const reading = (s: Statement): Body => {
    for (const id of statementReads(s)) needed.add(id);
    return [s];
  };
  return body.flatMap((s): Body => {
    if (s.kind === 'assign' || s.kind === 'load') return needed.has(s.local) ? reading(s) : [];
    if (s.kind === 'if') {
      const [then, otherwise] = [partOf(s.then, needed), partOf(s.else, needed)];
      return then.length + otherwise.length === 0 ? [] : reading({ ...s, then, else: otherwise });
    }
    if (s.kind === 'loop') {
      const [inner, update] = [partOf(s.body, needed), partOf(s.update, needed)];
      return inner.length + update.length === 0 ? [] : reading({ ...s, body: inner, update });
    }
    if (s.kind === 'block') {
      const inner = partOf(s.body, needed);
      return inner.length === 0 ? [] : [{ ...s, body: inner }];
    }
    if (s.kind === 'call') return partOf(s.body ?? [], needed);
    return s.kind === 'break' || s.kind === 'continue' || s.kind === 'leave' ? [s] : [];
  });
}
