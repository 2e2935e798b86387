import { constant, local } from '../../build/leaf.ts';
import type { Expression, LocalId } from '../../expression.ts';
import type { AssignStatement, Body, IfStatement, Statement, WaitStatement } from '../../statement.ts';
import { statementTarget } from '../../visit/children.ts';
import { statementReads, substituteLocals } from '../../visit/locals.ts';
import { mapStatementParts, type PartMapper } from '../../visit/map-body.ts';
import { walkBody } from '../../visit/walk.ts';
import { negate } from './conditions.ts';
import { isJump } from './structure.ts';

/**
 * Rewrites `if c { ... t = e } else { ... t = false } if t { ... }` as `if c { ... if e { ... } }`.
 * This restores the branches that minifiers replaced by a flag. It applies only if it repeats
 * nothing but jumps and constants. Returns the same body if nothing changes.
 */
export function threadConditions(body: Body): Body {
  const flags = new Flags(body);
  const threaded = (inner: Body): Body => threadList(inner, { ...parts, body: threaded }, flags);
  return threaded(body);
}

const parts: Omit<PartMapper, 'body'> = { expression: (e) => e, target: (id) => id };

/** Locals that are set only at the ends of one statement's branches, and read once. */
class Flags {
  readonly #assignments = new Map<LocalId, number>();
  readonly #readers = new Map<LocalId, number>();

  constructor(body: Body) {
    const count = (counts: Map<LocalId, number>, id: LocalId): void => void counts.set(id, (counts.get(id) ?? 0) + 1);
    walkBody(body, {
      statement: (s) => {
        const target = statementTarget(s);
        if (target !== undefined) count(this.#assignments, target);
        for (const id of statementReads(s)) count(this.#readers, id);
      },
    });
  }

  /**
   * The assignments to `flag` at the ends of `branches`. `undefined` if it is not a flag of these.
   */
  ends(branches: IfStatement, flag: LocalId): readonly AssignStatement[] | undefined {
    if (this.#readers.get(flag) !== 1) return undefined;
    const ends = endsOf([branches], flag);
    return ends !== undefined && ends.length === this.#assignments.get(flag) ? ends : undefined;
  }
}

function endsOf(body: Body, flag: LocalId): readonly AssignStatement[] | undefined {
  const last = body.at(-1);
  if (last?.kind === 'assign' && last.local === flag) return [last];
  if (last?.kind !== 'if') return undefined;
  const then = endsOf(last.then, flag);
  const otherwise = then && endsOf(last.else, flag);
  return then && otherwise && [...then, ...otherwise];
}

/** Replaces the assignments at the ends of the branches of `body`. */
function mapEnds(body: Body, map: (end: AssignStatement) => Body): Body {
  const last = body.at(-1);
  const before = body.slice(0, -1);
  if (last?.kind === 'assign') return Object.freeze([...before, ...map(last)]);
  return last?.kind === 'if' ? Object.freeze([...before, mapBranches(last, map)]) : body;
}

function mapBranches(branches: IfStatement, map: (end: AssignStatement) => Body): IfStatement {
  return Object.freeze({ ...branches, then: mapEnds(branches.then, map), else: mapEnds(branches.else, map) });
}

function threadList(body: Body, mapper: PartMapper, flags: Flags): Body {
  const out: Statement[] = [];
  let changed = false;
  for (const statement of body) {
    const mapped = turnWait(mapStatementParts(statement, mapper), flags);
    const before = out.at(-1);
    const threaded = before?.kind === 'if' ? thread(before, mapped, flags) : undefined;
    changed ||= threaded !== undefined || mapped !== statement;
    if (threaded !== undefined) out.pop();
    out.push(threaded ?? mapped);
  }
  return changed ? Object.freeze(out) : body;
}

/**
 * Moves the statement that reads a flag into the ends of the branches of `first`, which sets it.
 */
function thread(first: IfStatement, second: Statement, flags: Flags): IfStatement | undefined {
  if (second.kind === 'if') return threadTest(first, second, flags);
  if (second.kind !== 'assign' || second.value.kind !== 'local') return undefined;
  const ends = flags.ends(first, second.value.local);
  return ends && mapBranches(first, ({ value }) => [Object.freeze({ ...second, value })]);
}

function threadTest(first: IfStatement, test: IfStatement, flags: Flags): IfStatement | undefined {
  const flag = flagOf(test.condition);
  const ends = flag === undefined ? undefined : flags.ends(first, flag);
  if (flag === undefined || ends === undefined) return undefined;
  const known = ends.map(({ value }) => knownBranch(value, test));
  const open = known.filter((branch) => branch === undefined).length;
  if (open === ends.length) return undefined;
  const copies = (branch: Body): number => open + known.filter((taken) => taken === branch).length;
  const atEnd = ({ value }: AssignStatement): Body => {
    const condition = substituteLocals(test.condition, (id) => (id === flag ? value : undefined));
    return knownBranch(value, test) ?? [Object.freeze({ ...test, condition })];
  };
  if ([test.then, test.else].every((branch) => isSmall(branch) || copies(branch) < 2)) return mapBranches(first, atEnd);
  // If one branch decides the test, it belongs to the other branch.
  const isDecided = (branch: Body): boolean =>
    endsOf(branch, flag)?.every(({ value }) => isSmall(knownBranch(value, test) ?? [test])) === true;
  const into = (branch: Body): Body => Object.freeze([...branch, test]);
  if (isDecided(first.then))
    return Object.freeze({ ...first, then: mapEnds(first.then, atEnd), else: into(first.else) });
  if (isDecided(first.else))
    return Object.freeze({ ...first, then: into(first.then), else: mapEnds(first.else, atEnd) });
  return undefined;
}

/** The local in `t` or `!t`. */
function flagOf(condition: Expression): LocalId | undefined {
  const operand = condition.kind === 'unary' && condition.op === 'not' ? condition.operand : condition;
  return operand.kind === 'local' ? operand.local : undefined;
}

/** The branch of `test` that runs if its flag is `value`, if that is known. */
function knownBranch(value: Expression, test: IfStatement): Body | undefined {
  if (value.kind !== 'constant') return undefined;
  return (value.value === true) === (test.condition.kind === 'local') ? test.then : test.else;
}

function isSmall(body: Body): boolean {
  const [first] = body;
  if (first === undefined) return true;
  return body.length === 1 && (isJump(first) || (first.kind === 'assign' && first.value.kind === 'constant'));
}

/** Rewrites a wait until a flag is false as a wait until the opposite flag is true. */
function turnWait(s: Statement, flags: Flags): Statement {
  if (s.kind !== 'wait' || s.condition.kind !== 'unary' || s.condition.op !== 'not') return s;
  const flag = flagOf(s.condition);
  const last = s.body.at(-1);
  if (flag === undefined || last?.kind !== 'if' || flags.ends(last, flag) === undefined) return s;
  const turned = mapBranches(last, (end) => [Object.freeze({ ...end, value: opposite(end.value) })]);
  const wait: WaitStatement = {
    ...s,
    body: Object.freeze([...s.body.slice(0, -1), turned]),
    condition: local(flag, s.condition.type),
  };
  return Object.freeze(wait);
}

function opposite(value: Expression): Expression {
  return value.kind === 'constant' ? constant('bool', value.value !== true) : negate(value);
}
