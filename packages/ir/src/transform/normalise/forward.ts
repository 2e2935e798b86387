import type { Expression, LocalId } from '../../expression.ts';
import { mayFault } from '../../regions/may-fault.ts';
import type { Body, LoopStatement, Statement, WaitAllStatement, WaitStatement } from '../../statement.ts';
import { expressionChildren, statementExpressions, statementTarget } from '../../visit/children.ts';
import { assignedLocals, bodyReads, readLocals, statementReads, substituteLocals } from '../../visit/locals.ts';
import { mapBody, mapStatementParts, settle } from '../../visit/map-body.ts';
import { mapCoop, mapList } from '../../visit/map-expression.ts';
import { walkBody } from '../../visit/walk.ts';
import { continues } from './structure.ts';

/** The known value of a local at a point of the program. */
interface KnownValue {
  readonly value: Expression;
  /**
   * True if computing it may fault. It may then move only to a use that is just as certain to run,
   * and that no other effect precedes.
   */
  readonly fragile: boolean;
}

type KnownLocals = Map<LocalId, KnownValue>;

/**
 * The most nodes of a value that is repeated at each use. A larger value moves only to a single
 * use.
 */
const repeatable = 64;
/**
 * The most nodes of a value that moves at all. Larger values stay in their local, so that chains of
 * doublings stay small.
 */
export const largest = 2000;

/**
 * Replaces locals of `body` by their assigned values, if exactly one statement sets them and the
 * value is unchanged at the use. Removes assignments that are never read. Returns the same body if
 * nothing changes.
 */
export function forwardSubstitute(body: Body): Body {
  const pass = new Forward(body);
  return dropDead(pass.body(body, new Map()), pass.moved);
}

class Forward {
  /** Locals whose value may fault and was moved to its only use. */
  readonly moved = new Set<LocalId>();
  readonly #assignments = new Map<LocalId, number>();
  readonly #readers = new Map<LocalId, number>();

  constructor(body: Body) {
    walkBody(body, {
      statement: (s) => {
        const target = statementTarget(s);
        if (target !== undefined) this.#assignments.set(target, (this.#assignments.get(target) ?? 0) + 1);
        for (const id of statementReads(s)) this.#readers.set(id, (this.#readers.get(id) ?? 0) + 1);
      },
    });
  }

  /** Rewrites `body`. `known` has the values at its start, and is updated to those at its end. */
  body(body: Body, known: KnownLocals): Body {
    return mapList(body, (statement) => this.#statement(statement, known));
  }

  #statement(s: Statement, known: KnownLocals): Statement {
    switch (s.kind) {
      case 'loop':
        return this.#loop(s, known);
      case 'wait':
        return this.#wait(s, known);
      case 'waitAll':
        return this.#waitAll(s, known);
      case 'if':
      case 'block':
      case 'call':
        return this.#branches(s, known);
      case 'assign':
      case 'load':
      case 'store':
      case 'atomic':
      case 'fence':
      case 'fenceProxy':
      case 'sync':
      case 'collective':
      case 'break':
      case 'continue':
      case 'leave':
      case 'return':
      case 'assert':
      case 'print':
      case 'approximate':
      case 'clock':
        return this.#simple(s, known);
    }
  }

  #simple(s: Statement, known: KnownLocals): Statement {
    const rewritten = this.#ownExpressions(s, known);
    if (s.kind !== 'assign') dropFragile(known);
    const target = statementTarget(s);
    if (target !== undefined) forget(known, new Set([target]));
    if (rewritten.kind === 'assign') this.#learn(rewritten.local, rewritten.value, known);
    return rewritten;
  }

  #learn(local: LocalId, value: Expression, known: KnownLocals): void {
    if (this.#assignments.get(local) !== 1 || readLocals(value).has(local)) return;
    const readers = this.#readers.get(local) ?? 0;
    const size = treeSize(value);
    const fragile = mayFault(value);
    if (size > largest || (readers > 1 && (size > repeatable || fragile))) return;
    known.set(local, { value, fragile });
  }

  /** Substitutes known values in the expressions of `s` itself, not in its bodies. */
  #ownExpressions(s: Statement, known: KnownLocals): Statement {
    const usable = new Map<LocalId, Expression>();
    for (const id of statementReads(s)) {
      const found = known.get(id);
      if (found === undefined || (found.fragile && !evaluatesSurely(s, id))) continue;
      if (found.fragile) this.moved.add(id);
      usable.set(id, found.value);
    }
    if (usable.size === 0) return s;
    return mapStatementParts(s, {
      expression: (e) => substituteLocals(e, (id) => usable.get(id)),
      target: (id) => id,
      body: (inner) => inner,
    });
  }

  /**
   * Rewrites bodies that run at most once. Afterwards only values that none of them sets are known.
   */
  #branches(s: Statement, known: KnownLocals): Statement {
    const own = this.#ownExpressions(s, known);
    dropFragile(known);
    const rewritten = mapStatementParts(own, {
      expression: (e) => e,
      target: (id) => id,
      body: (body) => this.body(body, new Map(known)),
    });
    forget(known, assignedLocals([s]));
    return rewritten;
  }

  #loop(s: LoopStatement, known: KnownLocals): Statement {
    dropFragile(known);
    forget(known, assignedLocals([s]));
    const condition = s.condition && substitute(s.condition, known);
    const inBody = new Map(known);
    const body = this.body(s.body, inBody);
    const update = this.body(s.update, continues(s.body) ? new Map(known) : inBody);
    return settle(s, { ...s, ...(condition && { condition }), body, update });
  }

  #wait(s: WaitStatement, known: KnownLocals): Statement {
    dropFragile(known);
    forget(known, assignedLocals([s]));
    const inBody = new Map(known);
    const body = this.body(s.body, inBody);
    dropFragile(inBody);
    return settle(s, { ...s, body, condition: substitute(s.condition, inBody) });
  }

  #waitAll(s: WaitAllStatement, known: KnownLocals): Statement {
    dropFragile(known);
    const coop = mapCoop(s.coop, (e) => substitute(e, known));
    const count = substitute(s.count, known);
    forget(known, assignedLocals([s]));
    const inBody = new Map(known);
    const body = this.body(s.body, inBody);
    dropFragile(inBody);
    return settle(s, { ...s, coop, count, body, condition: substitute(s.condition, inBody) });
  }
}

function substitute(e: Expression, known: KnownLocals): Expression {
  return substituteLocals(e, (id) => known.get(id)?.value);
}

/** Removes the known values of `assigned`, and all values that were computed from them. */
function forget(known: KnownLocals, assigned: ReadonlySet<LocalId>): void {
  for (const [id, { value }] of known) {
    const reads = readLocals(value);
    if (assigned.has(id) || [...assigned].some((local) => reads.has(local))) known.delete(id);
  }
}

function dropFragile(known: KnownLocals): void {
  for (const [id, { fragile }] of known) {
    if (fragile) known.delete(id);
  }
}

/** True if `s` always reads `local` before it has any effect. */
function evaluatesSurely(s: Statement, local: LocalId): boolean {
  return statementExpressions(s).some((e) => readsSurely(e, local));
}

/** True if evaluating `e` always reads `local`. */
export function readsSurely(e: Expression, local: LocalId): boolean {
  if (!readLocals(e).has(local)) return false;
  if (e.kind === 'local') return true;
  if (e.kind === 'select') return readsSurely(e.condition, local);
  if (e.kind === 'logical') return readsSurely(e.left, local);
  if (e.kind === 'intrinsic') return readsSurely(e.expansion, local);
  return expressionChildren(e).some((child) => readsSurely(child, local));
}

const sizes = new WeakMap<Expression, number>();

/** The number of nodes of `e`; shared ones count at each use. */
export function treeSize(e: Expression): number {
  let size = sizes.get(e);
  if (size === undefined) {
    size = expressionChildren(e).reduce((sum, child) => sum + treeSize(child), 1);
    sizes.set(e, size);
  }
  return size;
}

/** Removes assignments from `body` whose value is not read. */
function dropDead(body: Body, moved: ReadonlySet<LocalId>): Body {
  const read = bodyReads(body);
  return mapBody(body, {
    statement: (s) => {
      if (s.kind !== 'assign' || read.has(s.local)) return s;
      return moved.has(s.local) || !mayFault(s.value) ? [] : s;
    },
  });
}
