import type { AssignmentExpression, Expression as Syntax, MemberExpression, Pattern, UpdateExpression } from 'acorn';
import type { Expression, PointerType, Span } from '@nccl-ts/ir';
import { callReports } from '../diagnose/call-reports.ts';
import { captureReports } from '../diagnose/capture-reports.ts';
import { typeReports } from '../diagnose/type-reports.ts';
import { assignTo } from './convert.ts';
import { lowerExpression, lowerPlaced } from './expression.ts';
import type { Lowering } from './lowering.ts';
import { elementAt, loadFrom, pointerOf, storeTo } from './memory.ts';
import { describe, literalOperand, nothing, poison, valueOperand, type CellBox, type Operand } from './operand.ts';
import type { SpannedOperand } from './operand.ts';
import { lowerCompound } from './operator.ts';
import { lowerLogicalAssignment, lowerLogicalUpdate } from './logical-assignment.ts';
import { assignCell, readCell } from './variable.ts';

/** An expression that can be on the left of `=`. */
export type AssignmentTarget =
  | { readonly kind: 'variable'; readonly name: string; readonly box: CellBox; readonly span: Span }
  | { readonly kind: 'element'; readonly pointer: Expression; readonly type: PointerType }
  | { readonly kind: 'fixed'; readonly bind: (operand: Operand) => void };

/** A target whose value can be read as well. */
export type Lvalue = Exclude<AssignmentTarget, { kind: 'fixed' }>;

export function lowerAssignment(l: Lowering, node: AssignmentExpression, discard: boolean): Operand {
  const span = l.span(node);
  const { operator } = node;
  if (operator === '&&=' || operator === '||=' || operator === '??=') return lowerLogicalAssignment(l, node, discard);
  if (operator === '**=')
    return l.report(
      captureReports.operator(
        l.operatorSpan(operator, node.left, node.right),
        operator,
        'use math.pow(x, y), or multiply',
      ),
    );
  if (operator === '>>>=')
    return l.report(captureReports.unsignedShift(l.operatorSpan(operator, node.left, node.right)));
  const target = lowerTarget(l, node.left);
  if (target === undefined) {
    lowerExpression(l, node.right, true);
    return poison;
  }
  if (operator === '=') return lowerLogicalUpdate(l, target, node.right, span) ?? assign(l, target, node.right, span);
  return update(l, target, operator, operator.slice(0, -1), () => lowerPlaced(l, node.right), span, discard);
}

/**
 * Lowers `x++`, `++x`, `x--` and `--x`. The result is the old or the new value, as in JavaScript.
 */
export function lowerUpdate(l: Lowering, node: UpdateExpression, discard: boolean): Operand {
  const span = l.span(node);
  const target = lowerTarget(l, node.argument);
  if (target === undefined) return poison;
  const one = (): SpannedOperand => ({ operand: literalOperand(1), span });
  return update(
    l,
    target,
    node.operator,
    node.operator === '++' ? '+' : '-',
    one,
    span,
    discard || node.prefix,
    !node.prefix,
  );
}

function assign(l: Lowering, target: AssignmentTarget, right: Syntax, span: Span): Operand {
  switch (target.kind) {
    case 'variable': {
      const { operand, span: at } = lowerPlaced(l, right);
      if (operand.kind === 'void') return l.report(typeReports.noValue(at, 'this call'));
      return assignCell(l, target.box, operand, span, at);
    }
    case 'fixed':
      target.bind(lowerExpression(l, right));
      return nothing;
    case 'element': {
      const { operand, result } = l.after(valueOperand(target.pointer), span, () => lowerPlaced(l, right));
      if (operand.kind !== 'value') return poison;
      return assignTarget(l, { ...target, pointer: operand.value }, result, span);
    }
  }
}

/** The present value of an assignment target, or poison after a report. */
export function readTarget(l: Lowering, target: Lvalue, span: Span): Operand {
  if (target.kind === 'element') return loadFrom(l, target.pointer, target.type, span);
  return readCell(target.box.cell) ?? l.report(callReports.noValueYet(target.span, target.name));
}

/** Assigns a computed value, and returns the value that the target then has. */
export function assignTarget(l: Lowering, target: Lvalue, right: SpannedOperand, span: Span): Operand {
  if (target.kind === 'variable') return assignCell(l, target.box, right.operand, span, right.span);
  const value = assignTo(l, right.operand, target.type.element, right.span);
  if (value === undefined) return poison;
  storeTo(l, target.pointer, value, span);
  return valueOperand(value);
}

function update(
  l: Lowering,
  target: AssignmentTarget,
  shown: string,
  operator: string,
  right: () => SpannedOperand,
  span: Span,
  discard: boolean,
  giveBefore = false,
): Operand {
  if (target.kind === 'fixed') return l.report(captureReports.assignmentTarget(span));
  if (target.kind === 'variable') {
    const before = readCell(target.box.cell);
    if (before === undefined) return l.report(callReports.noValueYet(target.span, target.name));
    if (before.kind === 'poison') {
      right();
      return poison;
    }
    if (before.kind === 'value' && before.value.type.kind === 'pointer') {
      right();
      return l.report(typeReports.pointerArithmetic(span, shown));
    }
    if (before.kind !== 'value') return l.report(typeReports.operand(span, shown, describe(before)));
    const stored = giveBefore && !discard ? l.keep(before, target.name, span) : before;
    const { operand, result } = l.after(before, span, right);
    if (operand.kind !== 'value') return poison;
    const value = lowerCompound(l, operator, operand.value, result, span);
    if (value === undefined) return poison;
    const after = assignCell(l, target.box, valueOperand(value), span);
    return giveBefore ? stored : after;
  }
  const pointer = l.keep(valueOperand(target.pointer), 'at', span);
  const before = loadFrom(l, pointer.value, target.type, span);
  if (before.kind !== 'value') return poison;
  const value = lowerCompound(l, operator, before.value, right(), span);
  if (value === undefined) return poison;
  storeTo(l, pointer.value, value, span);
  return giveBefore ? before : valueOperand(value);
}

export function lowerTarget(l: Lowering, node: Pattern | Syntax): AssignmentTarget | undefined {
  const span = l.span(node);
  switch (node.type) {
    case 'Identifier': {
      const declaration = l.frame.text.resolution.of.get(node);
      if (declaration === undefined) {
        l.report(captureReports.freeIdentifier(span, node.name));
        return undefined;
      }
      const binding = l.environment.lookup(declaration);
      if (binding === undefined) {
        l.report(callReports.noValueYet(span, node.name));
        return undefined;
      }
      if (binding.kind === 'fixed') {
        if (binding.operand.kind !== 'poison') l.report(callReports.assignToConstant(span, node.name));
        return undefined;
      }
      if (binding.frame !== l.frame.depth) {
        l.report(callReports.assignsOuter(span, node.name));
        return undefined;
      }
      return { kind: 'variable', name: node.name, box: binding.box, span };
    }
    case 'MemberExpression':
      return lowerMemberTarget(l, node, span);
    case 'ParenthesizedExpression':
      return lowerTarget(l, node.expression);
    default:
      l.report(captureReports.assignmentTarget(span));
      return undefined;
  }
}

function lowerMemberTarget(l: Lowering, node: MemberExpression, span: Span): AssignmentTarget | undefined {
  if (node.object.type === 'Super' || node.property.type === 'PrivateIdentifier') {
    l.report(captureReports.classDefinition(span));
    return undefined;
  }
  const object = lowerPlaced(l, node.object);
  if (object.operand.kind === 'poison') return undefined;
  if (!node.computed && node.property.type === 'Identifier') {
    const { name } = node.property;
    if (object.operand.kind === 'record') {
      const { cells, bindFixed } = object.operand;
      const box = cells?.get(name);
      if (box !== undefined) return { kind: 'variable', name, box, span };
      const bind = bindFixed;
      if (bind !== undefined) {
        return {
          kind: 'fixed',
          bind: (operand) =>
            void (
              bind(name, operand, span) ||
              l.report(callReports.unknownMember(span, 'the session', name, [...(cells?.keys() ?? [])]))
            ),
        };
      }
    }
    l.report(captureReports.assignmentTarget(span));
    return undefined;
  }
  const { property } = node;
  const { operand, result: index } = l.after(object.operand, object.span, () => lowerPlaced(l, property));
  const pointer = pointerOf(operand);
  if (pointer === undefined) {
    l.report(typeReports.notIndexable(object.span, describe(operand)));
    return undefined;
  }
  if (index.operand.kind === 'poison') return undefined;
  const at = elementAt(l, pointer, index);
  return at && { kind: 'element', pointer: at, type: pointer.type };
}
