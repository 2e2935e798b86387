import type { AssignmentExpression, Expression as Syntax } from 'acorn';
import { logical, type Expression, type Span } from '@nccl-ts/ir';
import { captureReports } from '../diagnose/capture-reports.ts';
import { typeReports } from '../diagnose/type-reports.ts';
import { assignTarget, lowerTarget, readTarget, type Lvalue, type AssignmentTarget } from './assignment.ts';
import { asCondition } from './convert.ts';
import { lowerExpression, lowerPlaced } from './expression.ts';
import type { Lowering } from './lowering.ts';
import { describe, nothing, poison, valueOperand, type Operand } from './operand.ts';
import type { SpannedOperand } from './operand.ts';
import { branch } from './structure.ts';
import { assignCell, newVariable, readCell } from './variable.ts';

type LogicalOperator = '&&' | '||';

/**
 * Lowers `x &&= y` as `if (x) x = y`, and `x ||= y` as `if (!x) x = y`. The right side is evaluated
 * only if it is assigned, and the target is evaluated once. Build tools rewrite such an `if`, and
 * `x = x && y`, to these operators.
 */
export function lowerLogicalAssignment(l: Lowering, node: AssignmentExpression, discard: boolean): Operand {
  const span = l.span(node);
  const { operator } = node;
  const target = lowerTarget(l, node.left);
  if (target === undefined || target.kind === 'fixed') {
    if (target !== undefined) l.report(captureReports.assignmentTarget(span));
    lowerExpression(l, node.right, true);
    return poison;
  }
  const lvalue: Lvalue =
    target.kind === 'element' ? { ...target, pointer: keptPointer(l, target.pointer, l.span(node.left)) } : target;
  const left: SpannedOperand = { operand: readTarget(l, lvalue, l.span(node.left)), span: l.span(node.left) };
  // Nothing in a kernel is null, so `x ??= y` never assigns.
  if (operator === '??=') return left.operand;
  return update(l, lvalue, left, operator === '&&=' ? '&&' : '||', node.right, span, discard);
}

/**
 * Lowers `x = x && y` to the same IR as `x &&= y`, because build tools replace one by the other.
 * Returns `undefined` if the assignment has another form.
 */
export function lowerLogicalUpdate(
  l: Lowering,
  target: AssignmentTarget,
  right: Syntax,
  span: Span,
): Operand | undefined {
  if (target.kind !== 'variable' || right.type !== 'LogicalExpression' || right.operator === '??') return undefined;
  const { operator } = right;
  const before = readCell(target.box.cell);
  if (before?.kind !== 'value') return undefined;
  let first = right.left;
  if (isBool(before)) {
    while (first.type === 'ParenthesizedExpression') first = first.expression;
    const left: SpannedOperand = { operand: before, span: l.span(first) };
    return means(l, first, target) ? update(l, target, left, operator, right.right, span, true) : undefined;
  }
  while (
    first.type === 'ParenthesizedExpression' ||
    (first.type === 'LogicalExpression' && first.operator === operator)
  )
    first = first.type === 'LogicalExpression' ? first.left : first.expression;
  // For a number it would give a boolean, as in C++, but the build tool's text keeps the
  // number.
  return means(l, first, target)
    ? l.report(typeReports.logicalUpdate(l.span(right), target.name, operator, describe(before)))
    : undefined;
}

/** True if an expression is the variable. */
function means(l: Lowering, node: Syntax, target: Extract<Lvalue, { kind: 'variable' }>): boolean {
  const declaration = node.type === 'Identifier' ? l.frame.text.resolution.of.get(node) : undefined;
  const binding = declaration && l.environment.lookup(declaration);
  return binding?.kind === 'variable' && binding.box === target.box;
}

/** `left` is the present value of the target. */
function update(
  l: Lowering,
  lvalue: Lvalue,
  left: SpannedOperand,
  operator: LogicalOperator,
  node: Syntax,
  span: Span,
  discard: boolean,
): Operand {
  const before = left.operand;
  const condition = before.kind === 'poison' ? undefined : asCondition(l, before, left.span);
  const arm = l.collect(() => l.scoped(l.span(node), () => rightSide(l, before, node)));
  const right = arm.result.operand;
  if (condition === undefined || right.kind === 'poison') return poison;
  if (right.kind === 'void') return l.report(typeReports.noValue(arm.result.span, 'this call'));
  if (lvalue.kind === 'variable' && right.kind === 'value' && arm.body.length === 0 && isBool(before)) {
    const value = logical(operator === '&&' ? 'and' : 'or', condition, right.value, span);
    return assignCell(l, lvalue.box, valueOperand(value), span, arm.result.span);
  }
  // The value of the assignment is the new value of the location, without another load.
  const outcome = discard || lvalue.kind === 'variable' ? undefined : newVariable('chosen', span);
  if (outcome !== undefined) assignCell(l, outcome, before, span);
  const assigned = l.collect(() => {
    const value = assignTarget(l, lvalue, arm.result, span);
    if (outcome !== undefined) assignCell(l, outcome, value, span);
  });
  const body = [...arm.body, ...assigned.body];
  const [then, otherwise] = operator === '&&' ? [body, []] : [[], body];
  for (const statement of branch(condition, then, otherwise, span)) l.emit(statement);
  if (lvalue.kind === 'variable') return readCell(lvalue.box.cell) ?? poison;
  return outcome === undefined ? nothing : (readCell(outcome.cell) ?? poison);
}

/** Returns the value to assign. It is a boolean if the target holds one, as in `x = x && y`. */
function rightSide(l: Lowering, before: Operand, node: Syntax): SpannedOperand {
  const right = lowerPlaced(l, node);
  if (!isBool(before) || right.operand.kind === 'poison' || right.operand.kind === 'void') return right;
  const value = asCondition(l, right.operand, right.span);
  return { operand: value === undefined ? poison : valueOperand(value), span: right.span };
}

function isBool(operand: Operand): boolean {
  if (operand.kind !== 'value') return false;
  const { type } = operand.value;
  return type.kind === 'scalar' && type.scalar === 'bool';
}

function keptPointer(l: Lowering, pointer: Expression, span: Span): Expression {
  return l.keep(valueOperand(pointer), 'at', span).value;
}
