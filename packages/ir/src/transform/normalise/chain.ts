import type { Expression, LocalId } from '../../expression.ts';
import { mayFault } from '../../regions/may-fault.ts';
import type { Body, Statement } from '../../statement.ts';
import { expressionChildren, staticExpressions } from '../../visit/children.ts';
import { readLocals, substituteLocals } from '../../visit/locals.ts';
import { mapStatementParts, type PartMapper } from '../../visit/map-body.ts';
import { largest, readsSurely, treeSize } from './forward.ts';

const parts: PartMapper = { expression: (e) => e, target: (id) => id, body: joinAssignments };

/**
 * `x = a x = f(x)` as `x = f(a)`, where `f` reads `x` once. Returns the same body if nothing
 * changes.
 */
export function joinAssignments(body: Body): Body {
  const out: Statement[] = [];
  let changed = false;
  for (const statement of body) {
    const mapped = mapStatementParts(statement, parts);
    const before = out.at(-1);
    const joined = before && join(before, mapped);
    changed ||= joined !== undefined || mapped !== statement;
    if (joined !== undefined) out.pop();
    out.push(joined ?? mapped);
  }
  return changed ? Object.freeze(out) : body;
}

function join(first: Statement, second: Statement): Statement | undefined {
  if (first.kind !== 'assign' || second.kind !== 'assign' || first.local !== second.local) return undefined;
  const { local, value } = first;
  const reads = countReads(second.value, local);
  if (reads > 1 || treeSize(value) + treeSize(second.value) > largest) return undefined;
  if (mayFault(value) && !readsSurely(second.value, local)) return undefined;
  const joined = substituteLocals(second.value, (id) => (id === local ? value : undefined));
  return Object.freeze({ ...second, value: joined });
}

/**
 * The number of reads of `local` in `e`. An argument of an intrinsic and its copies in the body
 * count as one read.
 */
function countReads(e: Expression, local: LocalId): number {
  if (!readLocals(e).has(local)) return 0;
  if (e.kind === 'local') return 1;
  const sum = (all: readonly Expression[]): number => all.reduce((total, part) => total + countReads(part, local), 0);
  if (e.kind !== 'intrinsic') return sum(expressionChildren(e));
  return Math.max(sum([...staticExpressions(e.statics), ...e.args]), countReads(e.expansion, local));
}
