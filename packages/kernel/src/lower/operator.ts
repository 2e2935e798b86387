import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  binary,
  compare,
  constant,
  sameType,
  typeName,
  unary,
  vector,
  type BinaryOp,
  type CompareOp,
  type Expression,
  type Span,
} from '@nccl-ts/ir';
import { typeReports } from '../diagnose/type-reports.ts';
import { asCondition, asValue, castTo, commonScalar, convertsImplicitly, promoteValue, toKind } from './convert.ts';
import { foldBinary, foldUnary } from './fold-literals.ts';
import { lowerShift } from './shift.ts';
import { literalAs } from './literal.ts';
import type { ReportSubject } from './decided-type.ts';
import type { Lowering } from './lowering.ts';
import {
  describe,
  literalOperand,
  poison,
  valueOperand,
  type ChoiceOperand,
  type LiteralOperand,
  type Operand,
  type SpannedOperand,
} from './operand.ts';

const arithmetic: Readonly<Record<string, BinaryOp>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'rem',
  '&': 'and',
  '|': 'or',
  '^': 'xor',
  '<<': 'shl',
  '>>': 'shr',
};

const comparison: Readonly<Record<string, CompareOp>> = {
  '==': 'eq',
  '===': 'eq',
  '!=': 'ne',
  '!==': 'ne',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
};

/** Lowers `left operator right`, if the operator evaluates both sides. */
export function lowerBinary(
  l: Lowering,
  operator: string,
  left: SpannedOperand,
  right: SpannedOperand,
  span: Span,
): Operand {
  if (left.operand.kind === 'poison' || right.operand.kind === 'poison') return poison;
  const compared = comparison[operator];
  if (compared !== undefined) {
    const known = compareKnown(left.operand, right.operand);
    if (known !== undefined && (compared === 'eq' || compared === 'ne'))
      return literalOperand(known === (compared === 'eq'));
  }
  if (left.operand.kind === 'literal' && right.operand.kind === 'literal') {
    const plain = operator === '===' ? '==' : operator === '!==' ? '!=' : operator;
    const folded = foldBinary(plain, left.operand.literal, right.operand.literal);
    if (folded !== undefined) return literalOperand(folded);
    return reportLiterals(
      l,
      operator,
      left.operand.literal,
      { literal: right.operand.literal, span: right.span },
      span,
    );
  }
  const chosen = foldChoice(operator, left.operand, right.operand);
  if (chosen !== undefined) return chosen;
  if (compared !== undefined) return lowerCompare(l, compared, operator, left, right, span);
  const op = arithmetic[operator];
  if (op === undefined) return poison;
  return op === 'shl' || op === 'shr'
    ? lowerShift(l, op, operator, left, right, span)
    : lowerArithmetic(l, op, operator, left, right, span);
}

/**
 * Reports literals for which an operator has no result. Examples are a bigint divided by zero, a
 * bigint and a fraction, and a huge result.
 */
function reportLiterals(
  l: Lowering,
  operator: string,
  left: number | bigint | boolean,
  right: { readonly literal: number | bigint | boolean; readonly span: Span },
  span: Span,
): Operand {
  const byZero = (operator === '/' || operator === '%') && Number(right.literal) === 0;
  if (byZero) return l.report(typeReports.divisionByZero(right.span));
  const [a = '', b = ''] = [left, right.literal].map((literal) =>
    typeof literal === 'bigint' ? `${literal}n` : String(literal),
  );
  return l.report(typeReports.literalOperation(span, operator, a, b));
}

/** True if two compile-time operands are the same. `undefined` if they are values. */
function compareKnown(left: Operand, right: Operand): boolean | undefined {
  if (left.kind === 'absent' || right.kind === 'absent') return left.kind === right.kind;
  if (left.kind === 'word' && right.kind === 'word') return left.word === right.word;
  if (left.kind === 'type' && right.kind === 'type') return sameType(left.type, right.type);
  return undefined;
}

/**
 * Applies an operator to a literal and a choice between two literals; the result is again a choice
 * between two literals. A boolean counts as 1 or 0: minifiers write `c ? 2 : 0` as `2 * c`.
 * `undefined` for other operands, and if an outcome has no value.
 */
function foldChoice(operator: string, left: Operand, right: Operand): LiteralOperand | ChoiceOperand | undefined {
  const plain = operator === '===' ? '==' : operator === '!==' ? '!=' : operator;
  const open = (operand: Operand): LiteralOperand | ChoiceOperand | undefined => {
    if (operand.kind === 'literal' || operand.kind === 'choice') return operand;
    // Comparisons take booleans unchanged. Folding a division would turn `true / 2` into 0.5.
    if (operator === '/' || comparison[operator] !== undefined) return undefined;
    return operand.kind === 'value' && isBool(operand.value) ? oneOrZero(operand.value) : undefined;
  };
  if (left.kind === 'literal') {
    const choice = open(right);
    return choice && mapChoice(choice, (literal) => foldBinary(plain, left.literal, literal));
  }
  if (right.kind !== 'literal') return undefined;
  const choice = open(left);
  return choice && mapChoice(choice, (literal) => foldBinary(plain, literal, right.literal));
}

function mapChoice(
  operand: LiteralOperand | ChoiceOperand,
  fold: (literal: number | bigint | boolean) => number | bigint | boolean | undefined,
): LiteralOperand | ChoiceOperand | undefined {
  if (operand.kind === 'literal') {
    const folded = fold(operand.literal);
    return folded === undefined ? undefined : literalOperand(folded);
  }
  const then = mapChoice(operand.then, fold);
  const otherwise = mapChoice(operand.else, fold);
  return then && otherwise && { ...operand, then, else: otherwise };
}

function oneOrZero(condition: Expression): ChoiceOperand {
  return { kind: 'choice', condition, then: literalOperand(1), else: literalOperand(0) };
}

/** Converts both sides to one type by the usual arithmetic conversions. */
function unify(
  l: Lowering,
  operator: string,
  left: SpannedOperand,
  right: SpannedOperand,
  span: Span,
): { readonly left: Expression; readonly right: Expression } | undefined {
  return l.about(subjectOf(l, left, right), () => unifySides(l, operator, left, right, span));
}

/**
 * The values of the two sides. If a literal decided the type of one side's variable, `wanted` is
 * the type of the other side.
 */
function subjectOf(l: Lowering, left: SpannedOperand, right: SpannedOperand): ReportSubject {
  const values = [left, right].map(({ operand }) => (operand.kind === 'value' ? operand.value : undefined));
  const other = values.find((value) => value !== undefined && !(value.kind === 'local' && l.decided.has(value.local)));
  return { ...l.subject, values, ...(other === undefined ? {} : { wanted: typeName(other.type) }) };
}

function unifySides(
  l: Lowering,
  operator: string,
  left: SpannedOperand,
  right: SpannedOperand,
  span: Span,
): { readonly left: Expression; readonly right: Expression } | undefined {
  const open = (operand: Operand): operand is Extract<Operand, { kind: 'literal' | 'choice' }> =>
    operand.kind === 'literal' || operand.kind === 'choice';
  if (open(left.operand) && !open(right.operand)) {
    const b = asValue(l, right.operand, right.span);
    const promoted = b && promoteValue(b, right.span);
    if (promoted === undefined || (promoted.type.kind !== 'scalar' && promoted.type.kind !== 'vector'))
      return refuse(l, operator, promoted, right.span);
    const a = literalAs(l, left.operand, promoted.type, left.span);
    return a && { left: a, right: promoted };
  }
  const a = asValue(l, left.operand, left.span);
  const from = a && promoteValue(a, left.span);
  if (open(right.operand)) {
    if (from === undefined || (from.type.kind !== 'scalar' && from.type.kind !== 'vector'))
      return refuse(l, operator, from, left.span);
    const b = literalAs(l, right.operand, from.type, right.span);
    return b && { left: from, right: b };
  }
  const b = asValue(l, right.operand, right.span);
  if (a === undefined || b === undefined) return undefined;
  const x = a.type;
  const y = b.type;
  if (x.kind === 'scalar' && y.kind === 'scalar') {
    const common = commonScalar(x.scalar, y.scalar);
    if (common === 'mixed') {
      l.report(typeReports.mixedIntFloat(span, typeName(x), typeName(y)));
      return undefined;
    }
    if (common === undefined) {
      l.report(typeReports.noCommonType(span, typeName(x), typeName(y)));
      return undefined;
    }
    return { left: toKind(a, common, left.span), right: toKind(b, common, right.span) };
  }
  if (x.kind === 'vector' && y.kind === 'vector' && sameType(x, y)) {
    return { left: promoteValue(a, left.span), right: promoteValue(b, right.span) };
  }
  if (x.kind === 'vector' && y.kind === 'scalar' && x.element === y.scalar) {
    return { left: promoteValue(a, left.span), right: promoteValue(vector(x, [b], right.span), right.span) };
  }
  if (x.kind === 'scalar' && y.kind === 'vector' && y.element === x.scalar) {
    return { left: promoteValue(vector(y, [a], left.span), left.span), right: promoteValue(b, right.span) };
  }
  if (x.kind === 'pointer' || y.kind === 'pointer') l.report(typeReports.pointerArithmetic(span, operator));
  else if (x.kind === 'handle' || y.kind === 'handle')
    l.report(typeReports.operand(span, operator, typeName(x.kind === 'handle' ? x : y), 'handle'));
  else l.report(typeReports.noCommonType(span, typeName(x), typeName(y)));
  return undefined;
}

function refuse(l: Lowering, operator: string, value: Expression | undefined, span: Span): undefined {
  if (value?.type.kind === 'pointer') l.report(typeReports.pointerArithmetic(span, operator));
  else if (value !== undefined) l.report(typeReports.operand(span, operator, typeName(value.type), value.type.kind));
  return undefined;
}

function lowerArithmetic(
  l: Lowering,
  op: BinaryOp,
  operator: string,
  left: SpannedOperand,
  right: SpannedOperand,
  span: Span,
): Operand {
  const sides = unify(l, operator, left, right, span);
  if (sides === undefined) return poison;
  const { type } = sides.left;
  const kind = type.kind === 'scalar' ? type.scalar : type.kind === 'vector' ? type.element : undefined;
  if (kind === undefined || !isDefined(op, kind)) return l.report(typeReports.operand(span, operator, typeName(type)));
  if ((op === 'div' || op === 'rem') && isZero(sides.right) && scalarInfo[kind].class === 'int') {
    return l.report(typeReports.divisionByZero(right.span));
  }
  return valueOperand(binary(op, sides.left, sides.right, span));
}

function isZero(value: Expression): boolean {
  return value.kind === 'constant' && (value.value === 0 || value.value === 0n);
}

function isDefined(op: BinaryOp, kind: ScalarKind): boolean {
  switch (scalarInfo[kind].class) {
    case 'int':
      return true;
    case 'float':
      return kind !== 'e4m3' && kind !== 'e5m2' && ['add', 'sub', 'mul', 'div', 'rem', 'min', 'max'].includes(op);
    case 'addr':
      return ['add', 'sub', 'mul'].includes(op);
    case 'bool':
      return false;
  }
}

/** `min` and `max`, which are operators in the IR. */
export function lowerMinMax(
  l: Lowering,
  op: 'min' | 'max',
  left: SpannedOperand,
  right: SpannedOperand,
  span: Span,
): Operand {
  if (left.operand.kind === 'poison' || right.operand.kind === 'poison') return poison;
  if (left.operand.kind === 'literal' && right.operand.kind === 'literal') {
    return takesFirst(op, left.operand.literal, right.operand.literal) ? left.operand : right.operand;
  }
  return lowerArithmetic(l, op, op, left, right, span);
}

/**
 * True if `min` or `max` selects the first of two literals. A NaN is never selected, and -0 is
 * below 0.
 */
function takesFirst(op: 'min' | 'max', left: LiteralOperand['literal'], right: LiteralOperand['literal']): boolean {
  const [a, b] = [left, right].map((literal) => (typeof literal === 'boolean' ? Number(literal) : literal));
  if (a === undefined || b === undefined || b !== b) return true;
  if (a === 0 && b === 0) return Object.is(a, -0) === (op === 'min');
  return op === 'min' ? a <= b : a >= b;
}

function lowerCompare(
  l: Lowering,
  op: CompareOp,
  operator: string,
  left: SpannedOperand,
  right: SpannedOperand,
  span: Span,
): Operand {
  const x = left.operand.kind === 'value' ? left.operand.value : undefined;
  const y = right.operand.kind === 'value' ? right.operand.value : undefined;
  if (x?.type.kind === 'pointer' && y?.type.kind === 'pointer' && x.type.space === y.type.space) {
    return valueOperand(compare(op, x, y, span));
  }
  // Two booleans are compared without promotion to i32, which would not change the result.
  if (isBool(x) && isBool(y) && (op === 'eq' || op === 'ne') && x && y) return valueOperand(compare(op, x, y, span));
  const refused = [left.operand, right.operand].find(
    (o) => o.kind !== 'value' && o.kind !== 'literal' && o.kind !== 'choice',
  );
  if (refused !== undefined) {
    return l.report(typeReports.comparison(span, describe(left.operand), describe(right.operand)));
  }
  if ([x, y].some((v) => v !== undefined && v.type.kind !== 'scalar')) {
    return l.report(typeReports.comparison(span, describe(left.operand), describe(right.operand)));
  }
  const sides = unify(l, operator, left, right, span);
  return sides === undefined ? poison : valueOperand(compare(op, sides.left, sides.right, span));
}

function isBool(value: Expression | undefined): boolean {
  return value?.type.kind === 'scalar' && value.type.scalar === 'bool';
}

export function lowerUnary(l: Lowering, operator: '-' | '+' | '~' | '!', placed: SpannedOperand, span: Span): Operand {
  const { operand } = placed;
  if (operand.kind === 'poison') return poison;
  if (operand.kind === 'literal' || operand.kind === 'choice') {
    const folded = mapChoice(operand, (literal) => foldUnary(operator, literal));
    if (folded !== undefined) return folded;
  }
  if (operator === '!') {
    if (operand.kind === 'absent') return literalOperand(true);
    const condition = asCondition(l, operand, placed.span);
    return condition === undefined ? poison : valueOperand(not(condition, span));
  }
  const value = asValue(l, operand, placed.span);
  if (value === undefined) return poison;
  // Minifiers write `c ? 1 : 0` as `+c`: its type is still open, as in the author's text.
  if (operator !== '~' && isBool(value)) {
    return mapChoice(oneOrZero(value), (literal) => foldUnary(operator, literal)) ?? poison;
  }
  const promoted = promoteValue(value, placed.span);
  const { type } = promoted;
  const kind = type.kind === 'scalar' ? type.scalar : type.kind === 'vector' ? type.element : undefined;
  const numeric =
    kind !== undefined &&
    (scalarInfo[kind].class === 'int' || (scalarInfo[kind].class === 'float' && operator !== '~'));
  if (!numeric || kind === 'e4m3' || kind === 'e5m2') {
    return l.report(
      type.kind === 'pointer'
        ? typeReports.pointerArithmetic(span, operator)
        : typeReports.operand(span, operator, typeName(type)),
    );
  }
  if (operator === '+') return valueOperand(promoted);
  return valueOperand(unary(operator === '-' ? 'neg' : 'bitNot', promoted, span));
}

/** Negates a condition, and removes a double negation. */
export function not(condition: Expression, span: Span): Expression {
  if (condition.kind === 'unary' && condition.op === 'not') return condition.operand;
  if (condition.kind === 'constant') return constant('bool', condition.value !== true, span);
  // This is exact for floats too: `==` and `!=` are opposites even if an operand is NaN.
  if (condition.kind === 'compare' && condition.op === 'eq') return { ...condition, op: 'ne' };
  if (condition.kind === 'compare' && condition.op === 'ne') return { ...condition, op: 'eq' };
  return unary('not', condition, span);
}

/**
 * Returns the value that `x operator= y` assigns, or `undefined` after a report. It is `x operator
 * y`, converted back to the type of `x`. `y` must fit that type, unless it is a shift count.
 */
export function lowerCompound(
  l: Lowering,
  operator: string,
  target: Expression,
  right: SpannedOperand,
  span: Span,
): Expression | undefined {
  const left: SpannedOperand = { operand: valueOperand(target), span };
  const assigned = target.kind === 'local' ? target.local : undefined;
  const rightType = right.operand.kind === 'value' ? right.operand.value.type : undefined;
  return l.about({ target: assigned, wanted: rightType && typeName(rightType) }, () =>
    computeCompound(l, operator, target, left, right, span),
  );
}

function computeCompound(
  l: Lowering,
  operator: string,
  target: Expression,
  left: SpannedOperand,
  right: SpannedOperand,
  span: Span,
): Expression | undefined {
  const outcome = lowerBinary(l, operator, left, right, span);
  // An operator on a boolean and a literal gives one of two literals, still without a type.
  const value = outcome.kind === 'poison' ? undefined : asValue(l, outcome, span);
  if (value === undefined) return undefined;
  const computed = valueOperand(value);
  const { type } = target;
  if (sameType(computed.value.type, type)) return computed.value;
  const rightType = right.operand.kind === 'value' ? right.operand.value.type : undefined;
  const fits =
    operator === '<<' ||
    operator === '>>' ||
    rightType === undefined ||
    (rightType.kind === 'scalar' && type.kind === 'scalar' && convertsImplicitly(rightType.scalar, type.scalar)) ||
    (rightType.kind === 'scalar' && type.kind === 'vector' && rightType.scalar === type.element) ||
    (rightType.kind === 'vector' && sameType(rightType, type));
  if (!fits || (type.kind !== 'scalar' && type.kind !== 'vector')) {
    l.report(typeReports.narrowing(right.span, rightType === undefined ? 'this' : typeName(rightType), typeName(type)));
    return undefined;
  }
  return castTo(l, computed, type, span);
}
