import type { LocalId } from '../../expression.ts';
import type { AssignStatement, Body, IfStatement, Statement } from '../../statement.ts';
import { statementTarget } from '../../visit/children.ts';
import { statementReads, substituteLocals } from '../../visit/locals.ts';
import { mapStatementParts, type PartMapper } from '../../visit/map-body.ts';
import { walkBody } from '../../visit/walk.ts';
import { isJump } from './structure.ts';

/**
 * `if c { ... t = e } else { ... t = false }  if t { ... }` as `if c { ... if e { ... } }`: a condition that has effects,
 * as minifiers write it, as the branches it came from. Only where that repeats no more than a jump. Itself where nothing
 * is to be done.
 */
export function threadConditions(body: Body): Body {
  const assignments = new Map<LocalId, number>();
  const readers = new Map<LocalId, number>();
  const count = (counts: Map<LocalId, number>, id: LocalId): void => void counts.set(id, (counts.get(id) ?? 0) + 1);
  walkBody(body, {
    statement: (s) => {
      const target = statementTarget(s);
      if (target !== undefined) count(assignments, target);
      for (const id of statementReads(s)) count(readers, id);
    },
  });
  const isFlag = (id: LocalId): boolean => assignments.get(id) === 2 && readers.get(id) === 1;
  const threaded = (inner: Body): Body => threadList(inner, { ...parts, body: threaded }, isFlag);
  return threaded(body);
}

const parts: Omit<PartMapper, 'body'> = { expression: (e) => e, target: (id) => id };

function threadList(body: Body, mapper: PartMapper, isFlag: (id: LocalId) => boolean): Body {
  const out: Statement[] = [];
  let changed = false;
  for (const statement of body) {
    const mapped = mapStatementParts(statement, mapper);
    const before = out.at(-1);
    const threaded = before?.kind === 'if' && mapped.kind === 'if' ? thread(before, mapped, isFlag) : undefined;
    changed ||= threaded !== undefined || mapped !== statement;
    if (threaded !== undefined) out.pop();
    out.push(threaded ?? mapped);
  }
  return changed ? Object.freeze(out) : body;
}

/** `first`, which sets a flag, with `second`, which tests it, in both of its branches. */
function thread(first: IfStatement, second: IfStatement, isFlag: (id: LocalId) => boolean): IfStatement | undefined {
  const { condition } = second;
  const flag = condition.kind === 'unary' && condition.op === 'not' ? condition.operand : condition;
  if (flag.kind !== 'local' || !isFlag(flag.local)) return undefined;
  const then = lastAssignment(first.then, flag.local);
  const otherwise = lastAssignment(first.else, flag.local);
  if (then === undefined || otherwise === undefined) return undefined;
  const known = knownBranch(then, second) ?? knownBranch(otherwise, second);
  const bothKnown = knownBranch(then, second) !== undefined && knownBranch(otherwise, second) !== undefined;
  if (known === undefined || !(bothKnown || isSmall(known))) return undefined;
  const end = (arm: Body, assignment: AssignStatement): Body => [
    ...arm.slice(0, -1),
    ...(knownBranch(assignment, second) ?? [withFlag(second, flag.local, assignment)]),
  ];
  return Object.freeze({ ...first, then: end(first.then, then), else: end(first.else, otherwise) });
}

function lastAssignment(arm: Body, flag: LocalId): AssignStatement | undefined {
  const last = arm.at(-1);
  return last?.kind === 'assign' && last.local === flag ? last : undefined;
}

/** The branch of `test` that is taken after `assignment`, where that is known. */
function knownBranch({ value }: AssignStatement, test: IfStatement): Body | undefined {
  if (value.kind !== 'constant') return undefined;
  const holds = test.condition.kind === 'unary' ? value.value === false : value.value === true;
  return holds ? test.then : test.else;
}

function withFlag(test: IfStatement, flag: LocalId, { value }: AssignStatement): IfStatement {
  const condition = substituteLocals(test.condition, (id) => (id === flag ? value : undefined));
  return Object.freeze({ ...test, condition });
}

function isSmall(body: Body): boolean {
  const [first] = body;
  return first === undefined || (body.length === 1 && isJump(first));
}
