import type { ConditionalExpression, Expression as Syntax, LogicalExpression } from 'acorn';
import {
  constant,
  logical,
  sameType,
  scalarType,
  select,
  type Expression,
  type Span,
  type Statement,
} from '@nccl-ts/ir';
import type { HandleParam } from '../author/param-type.ts';
import { typeReports } from '../diagnose/type-reports.ts';
import { asCondition, asValue, assignTo, commonScalar } from './convert.ts';
import { lowerExpression, lowerPlaced } from './expression.ts';
import type { Lowering } from './lowering.ts';
import { absent, describe, literalOperand, nothing, poison, valueOperand, type Operand } from './operand.ts';
import { branch } from './structure.ts';
import { assignCell, newVariable, readCell } from './variable.ts';
import { knownCondition } from './known-condition.ts';

interface Arm {
  readonly body: Statement[];
  readonly operand: Operand;
  readonly span: Span;
}

function lowerArm(l: Lowering, node: Syntax, discard: boolean): Arm {
  const span = l.span(node);
  const { body, result } = l.collect(() => l.scoped(span, () => lowerExpression(l, node, discard)));
  return { body, operand: result, span };
}

/**
 * Lowers `a ? b : c` to one of two compile-time operands, to a select of pure values, or to a
 * branch.
 */
export function lowerConditional(l: Lowering, node: ConditionalExpression, discard: boolean): Operand {
  const test = lowerPlaced(l, node.test);
  const known = knownCondition(test.operand);
  if (known !== undefined) return lowerExpression(l, known ? node.consequent : node.alternate, discard);
  const condition = asCondition(l, test.operand, test.span);
  if (condition === undefined) {
    lowerArm(l, node.consequent, discard);
    lowerArm(l, node.alternate, discard);
    return poison;
  }
  const then = lowerArm(l, node.consequent, discard);
  const otherwise = lowerArm(l, node.alternate, discard);
  return choose(l, condition, then, otherwise, l.span(node), discard);
}

function choose(l: Lowering, condition: Expression, then: Arm, otherwise: Arm, span: Span, discard: boolean): Operand {
  if (then.operand.kind === 'poison' || otherwise.operand.kind === 'poison') return poison;
  // `return c ? void f() : void g()` is how minifiers end a function without a result.
  const valueless = [then, otherwise].every(({ operand: { kind } }) => kind === 'void' || kind === 'absent');
  if (discard || valueless) {
    for (const statement of branch(condition, then.body, otherwise.body, span)) l.emit(statement);
    return then.operand.kind === 'absent' || otherwise.operand.kind === 'absent' ? absent : nothing;
  }
  if (then.body.length === 0 && otherwise.body.length === 0) return chooseValue(l, condition, then, otherwise, span);
  // The condition must be evaluated before an arm changes what it reads, and an `if` does that.
  const types = armTypes(l, then, otherwise, span);
  if (types === undefined) return poison;
  const box = newVariable('chosen', span);
  const handle = handleOf(then.operand);
  const first = l.collect(() => assignCell(l, box, valueOperand(types.then, handle), then.span));
  const second = l.collect(() => assignCell(l, box, valueOperand(types.otherwise, handle), otherwise.span));
  l.emit({
    kind: 'if',
    condition,
    then: [...then.body, ...first.body],
    else: [...otherwise.body, ...second.body],
    span,
  });
  return readCell(box.cell) ?? poison;
}

function chooseValue(l: Lowering, condition: Expression, then: Arm, otherwise: Arm, span: Span): Operand {
  const a = then.operand;
  const b = otherwise.operand;
  if ((a.kind === 'literal' || a.kind === 'choice') && (b.kind === 'literal' || b.kind === 'choice')) {
    return { kind: 'choice', condition, then: a, else: b };
  }
  const types = armTypes(l, then, otherwise, span);
  if (types === undefined) return poison;
  return valueOperand(select(condition, types.then, types.otherwise, span), handleOf(a));
}

/** Both sides have the same type, so the result has the members of either. */
function handleOf(operand: Operand): HandleParam | undefined {
  return operand.kind === 'value' ? operand.handle : undefined;
}

/**
 * Converts both arms to one type: a literal takes the type of the other arm; otherwise the usual
 * arithmetic conversions apply.
 */
function armTypes(
  l: Lowering,
  then: Arm,
  otherwise: Arm,
  span: Span,
): { then: Expression; otherwise: Expression } | undefined {
  const isOpen = (operand: Operand): boolean => operand.kind === 'literal' || operand.kind === 'choice';
  for (const arm of [then, otherwise]) {
    const { operand } = arm;
    if (operand.kind !== 'value' && !isOpen(operand)) {
      if (operand.kind === 'void') l.report(typeReports.noValue(arm.span, 'this side'));
      else asValue(l, operand, arm.span);
      return undefined;
    }
  }
  if (isOpen(then.operand) && !isOpen(otherwise.operand)) {
    const b = asValue(l, otherwise.operand, otherwise.span);
    const a = b && assignTo(l, then.operand, b.type, then.span);
    return a && b && { then: a, otherwise: b };
  }
  const a = asValue(l, then.operand, then.span);
  if (a === undefined) return undefined;
  if (isOpen(otherwise.operand)) {
    const b = assignTo(l, otherwise.operand, a.type, otherwise.span);
    return b && { then: a, otherwise: b };
  }
  const b = asValue(l, otherwise.operand, otherwise.span);
  if (b === undefined) return undefined;
  if (sameType(a.type, b.type)) return { then: a, otherwise: b };
  if (a.type.kind === 'scalar' && b.type.kind === 'scalar') {
    const common = commonScalar(a.type.scalar, b.type.scalar);
    if (common === 'mixed' || common === undefined) {
      l.report(typeReports.noCommonType(span, a.type.scalar, b.type.scalar));
      return undefined;
    }
    const x = assignTo(l, valueOperand(a), scalarType(common), then.span);
    const y = assignTo(l, valueOperand(b), scalarType(common), otherwise.span);
    return x && y && { then: x, otherwise: y };
  }
  l.report(typeReports.noCommonType(span, describe(then.operand), describe(otherwise.operand)));
  return undefined;
}

/**
 * Lowers `a && b` and `a || b` to booleans. The right side is evaluated only if it decides the
 * result. Lowers `a ?? b` to `a` if it was given, and otherwise to `b`.
 */
export function lowerLogical(l: Lowering, node: LogicalExpression, discard: boolean): Operand {
  const span = l.span(node);
  const { operator } = node;
  const left = lowerPlaced(l, node.left);
  // The compiler knows if an operand is undefined, and no value is null. So the result is one of
  // the sides.
  if (operator === '??') return left.operand.kind === 'absent' ? lowerExpression(l, node.right, discard) : left.operand;
  const known = knownCondition(left.operand);
  if (known !== undefined) {
    if (known !== (operator === '&&')) return literalOperand(known);
    const right = lowerPlaced(l, node.right);
    if (discard || right.operand.kind === 'poison') return right.operand;
    const rightKnown = knownCondition(right.operand);
    if (rightKnown !== undefined) return literalOperand(rightKnown);
    const value = asCondition(l, right.operand, right.span);
    return value === undefined ? poison : valueOperand(value);
  }
  const condition = asCondition(l, left.operand, left.span);
  const right = lowerArm(l, node.right, discard);
  if (condition === undefined || right.operand.kind === 'poison') return poison;
  if (right.body.length === 0 && right.operand.kind !== 'void') {
    const value = asCondition(l, right.operand, right.span);
    return value === undefined
      ? poison
      : valueOperand(logical(operator === '&&' ? 'and' : 'or', condition, value, span));
  }
  if (discard) {
    const arms = operator === '&&' ? { then: right.body, else: [] } : { then: [], else: right.body };
    for (const statement of branch(condition, arms.then, arms.else, span)) l.emit(statement);
    return nothing;
  }
  const value = asCondition(l, right.operand, right.span);
  if (value === undefined) return poison;
  const whole: Arm = { body: right.body, operand: valueOperand(value), span: right.span };
  const decided: Arm = { body: [], operand: valueOperand(constant('bool', operator === '||')), span: left.span };
  return operator === '&&'
    ? choose(l, condition, whole, decided, span, false)
    : choose(l, condition, decided, whole, span, false);
}
