import { statementBodies, type Body, type Statement } from '@nccl-ts/ir';

/** The first difference of two bodies. */
export interface Difference {
  /** The nesting depth. */
  readonly depth: number;
  readonly before: Body;
  readonly after: Body;
}

/**
 * Returns the only place where `after` differs from `before`: the innermost that contains the whole
 * difference. Unchanged statements must be the same objects. Throws if anything else differs.
 */
export function differenceOf(before: Body, after: Body, depth = 0): Difference {
  let first = 0;
  while (first < before.length && before[first] === after[first]) first++;
  let last = 0;
  const most = Math.min(before.length, after.length) - first;
  while (last < most && before.at(-1 - last) === after.at(-1 - last)) last++;
  const was = before.slice(first, before.length - last);
  const is = after.slice(first, after.length - last);
  const [old] = was;
  const [next] = is;
  if (was.length === 1 && is.length === 1 && old !== undefined && next !== undefined) {
    const inner = innerDifference(old, next, depth);
    if (inner !== undefined) return inner;
  }
  return { depth, before: was, after: is };
}

/** Searches within one statement, if only one of its bodies differs. */
function innerDifference(old: Statement, next: Statement, depth: number): Difference | undefined {
  const bodies = statementBodies(old);
  const changed = statementBodies(next);
  if (old.kind !== next.kind || bodies.length !== changed.length) return undefined;
  const different = bodies.flatMap((body, i) => (body === changed[i] ? [] : [{ body, next: changed[i] ?? [] }]));
  const [only] = different;
  if (only === undefined || different.length > 1) return undefined;
  const parts = new Set<unknown>([...bodies, ...changed]);
  const rest = (s: Statement): unknown[] => Object.values(s).filter((part) => !parts.has(part));
  const [mine, theirs] = [rest(old), rest(next)];
  if (mine.length !== theirs.length || mine.some((part, i) => part !== theirs[i])) return undefined;
  return differenceOf(only.body, only.next, depth + 1);
}
