import { logical, select } from '../../build/operation.ts';
import type { Expression } from '../../expression.ts';
import { printExpression } from '../../print/print-expression.ts';
import { mayFault } from '../../regions/may-fault.ts';
import type { AtomicAccess, Body, IfStatement, LoopStatement, Statement } from '../../statement.ts';
import { dispatchStatement, type StatementTable } from '../../visit/dispatch.ts';
import { statementTable } from '../../visit/with-defaults.ts';
import { statementBodies } from '../../visit/children.ts';
import { mapStatementParts, type PartMapper } from '../../visit/map-body.ts';
import { walkBody } from '../../visit/walk.ts';
import { negate, normaliseNode, prefersNegation } from './conditions.ts';

/** Normalises the control flow of a kernel's body. Returns the same body if nothing changes. */
export function normaliseStructure(body: Body): Body {
  return withoutTail(normaliseBody(body), (s) => s.kind === 'return');
}

const parts: PartMapper = { expression: (e) => e, target: (id) => id, body: normaliseBody };

function normaliseBody(body: Body): Body {
  const out: Statement[] = [];
  let changed = false;
  for (const [index, statement] of body.entries()) {
    const mapped = mapStatementParts(statement, parts);
    const rest = body.slice(index + 1);
    const taken = rest.length === 0 ? undefined : takeRest(mapped, rest);
    if (taken !== undefined) {
      // Statements after a branch that ends in a jump belong to the other branch.
      out.push(...normaliseStatement(mapStatementParts(taken, parts)));
      return Object.freeze(out);
    }
    const next = normaliseStatement(mapped);
    changed ||= next.length !== 1 || next[0] !== statement;
    out.push(...next);
  }
  return changed ? Object.freeze(out) : body;
}

/** Merges `statement` with the following statements, if they become part of it or never run. */
function takeRest(statement: Statement, rest: Body): Statement | undefined {
  if (isJump(statement)) return statement;
  if (statement.kind !== 'if') return undefined;
  const thenJumps = endsInJump(statement.then);
  const elseJumps = endsInJump(statement.else);
  if (thenJumps && elseJumps) return statement;
  if (thenJumps) return { ...statement, else: [...statement.else, ...rest] };
  return elseJumps ? { ...statement, then: [...statement.then, ...rest] } : undefined;
}

export function isJump(statement: Statement): boolean {
  const { kind } = statement;
  return kind === 'break' || kind === 'continue' || kind === 'leave' || kind === 'return';
}

function endsInJump(body: Body): boolean {
  const last = body.at(-1);
  if (last === undefined) return false;
  return isJump(last) || (last.kind === 'if' && endsInJump(last.then) && endsInJump(last.else));
}

const normalForms: StatementTable<undefined, Body> = /* @__PURE__ */ statementTable<undefined, Body>((s) => [s], {
  assign: (s) => (s.value.kind === 'local' && s.value.local === s.local ? [] : [s]),
  if: (s) => normaliseIf(s),
  loop: (s) => [normaliseLoop(s)],
  block: (s) => {
    const body = withoutTail(s.body, (last) => last.kind === 'leave' && last.label === s.label);
    if (!leavesBlock(body, s.label)) return body;
    return [body === s.body ? s : Object.freeze({ ...s, body })];
  },
});

function normaliseStatement(statement: Statement): Body {
  return dispatchStatement(normalForms, statement, undefined);
}

function normaliseIf(s: IfStatement): Body {
  if (s.condition.kind === 'constant') return s.condition.value === true ? s.then : s.else;
  if (s.then.length === 0 && s.else.length === 0) return mayFault(s.condition) ? [s] : [];
  if (s.then.length === 0 || (s.else.length > 0 && prefersNegation(s.condition))) {
    return normaliseIf(Object.freeze({ ...s, condition: negate(s.condition), then: s.else, else: s.then }));
  }
  const [then] = s.then;
  if (s.else.length === 0) {
    if (s.then.length !== 1 || then?.kind !== 'if' || then.else.length > 0) return [s];
    const condition = normaliseNode(logical('and', s.condition, then.condition));
    return normaliseIf(Object.freeze({ ...s, condition, then: then.then }));
  }
  const [otherwise] = s.else;
  if (s.then.length !== 1 || s.else.length !== 1 || then === undefined || otherwise === undefined) return [s];
  const merged = withChosenValue(s, then, otherwise);
  return [merged ?? s];
}

/**
 * Merges two statements that only differ in the value that they assign, store or combine with
 * memory.
 */
function withChosenValue(s: IfStatement, then: Statement, otherwise: Statement): Statement | undefined {
  const value = (a: Expression, b: Expression): Expression => normaliseNode(select(s.condition, a, b));
  switch (then.kind) {
    case 'assign':
      if (otherwise.kind !== 'assign' || otherwise.local !== then.local) return undefined;
      return Object.freeze({ ...then, value: value(then.value, otherwise.value), span: s.span });
    case 'store':
      if (otherwise.kind !== 'store' || !isSameText(then.pointer, otherwise.pointer)) return undefined;
      if (!isSameAccess(then.access, otherwise.access)) return undefined;
      return Object.freeze({ ...then, value: value(then.value, otherwise.value), span: s.span });
    case 'atomic':
      if (otherwise.kind !== 'atomic' || then.op !== otherwise.op || then.expected !== undefined) return undefined;
      if (then.local !== otherwise.local || !isSameText(then.pointer, otherwise.pointer)) return undefined;
      if (!isSameAccess(then.access, otherwise.access)) return undefined;
      return Object.freeze({ ...then, value: value(then.value, otherwise.value), span: s.span });
    case 'approximate':
    case 'assert':
    case 'block':
    case 'break':
    case 'call':
    case 'clock':
    case 'collective':
    case 'continue':
    case 'fence':
    case 'fenceProxy':
    case 'if':
    case 'leave':
    case 'load':
    case 'loop':
    case 'print':
    case 'return':
    case 'sync':
    case 'wait':
    case 'waitAll':
      return undefined;
  }
}

function isSameText(a: Expression, b: Expression): boolean {
  return a === b || printExpression(a, plain) === printExpression(b, plain);
}

const plain = { spans: false, args: [] };

function isSameAccess(a: AtomicAccess | undefined, b: AtomicAccess | undefined): boolean {
  return a?.order === b?.order && a?.scope === b?.scope;
}

function normaliseLoop(s: LoopStatement): Statement {
  const body = withoutTail(s.body, (inner) => inner.kind === 'continue');
  if (s.update.length > 0 && !continues(body)) {
    return normaliseLoop(Object.freeze({ ...s, body: normaliseBody([...body, ...s.update]), update: [] }));
  }
  const [first] = body;
  if (body.length === 1 && first?.kind === 'if') {
    const exits = isBreak(first.then) ? negate(first.condition) : isBreak(first.else) ? first.condition : undefined;
    if (exits !== undefined) {
      const condition = s.condition === undefined ? exits : normaliseNode(logical('and', s.condition, exits));
      const rest = isBreak(first.then) ? first.else : first.then;
      return normaliseLoop(Object.freeze({ ...s, condition, body: rest }));
    }
  }
  return body === s.body ? s : Object.freeze({ ...s, body });
}

function isBreak(body: Body): boolean {
  return body.length === 1 && body[0]?.kind === 'break';
}

/** Removes the jumps `isTail` from `body` at points after which it would end anyway. */
function withoutTail(body: Body, isTail: (statement: Statement) => boolean): Body {
  const last = body.at(-1);
  if (last === undefined) return body;
  if (isTail(last)) return withoutTail(Object.freeze(body.slice(0, -1)), isTail);
  if (last.kind !== 'if' && last.kind !== 'block') return body;
  const inner = mapStatementParts(last, { ...parts, body: (nested) => withoutTail(nested, isTail) });
  return inner === last ? body : Object.freeze([...body.slice(0, -1), ...normaliseStatement(inner)]);
}

function leavesBlock(body: Body, label: number): boolean {
  let found = false;
  walkBody(body, {
    statement: (s) => {
      found ||= s.kind === 'leave' && s.label === label;
    },
  });
  return found;
}

/** True if a `continue` in `body` belongs to the loop around `body`. */
export function continues(body: Body): boolean {
  return body.some((s) => s.kind === 'continue' || (s.kind !== 'loop' && statementBodies(s).some(continues)));
}
