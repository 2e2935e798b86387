import { numberToF16, f16ToNumber, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { constant, scalarConvert, select, vector, type Expression, type Span, type ValueType } from '@nccl-ts/ir';
import { typeReports } from '../diagnose/type-reports.ts';
import type { Lowering } from './lowering.ts';
import type { ChoiceOperand, LiteralOperand } from './operand.ts';

/** Converts a literal to `type`. Returns the constant, or `undefined` after a report. */
export function literalAs(
  l: Lowering,
  operand: LiteralOperand | ChoiceOperand,
  type: ValueType,
  span: Span,
): Expression | undefined {
  if (operand.kind === 'choice') {
    const then = literalAs(l, operand.then, type, span);
    const otherwise = literalAs(l, operand.else, type, span);
    return then && otherwise && select(operand.condition, then, otherwise, span);
  }
  if (type.kind === 'vector') {
    const element = scalarLiteral(l, operand.literal, type.element, span);
    return element && vector(type, [element], span);
  }
  return scalarLiteral(l, operand.literal, type.scalar, span);
}

function scalarLiteral(
  l: Lowering,
  value: number | bigint | boolean,
  kind: ScalarKind,
  span: Span,
): Expression | undefined {
  const info = scalarInfo[kind];
  if (info.class === 'bool') {
    if (typeof value === 'boolean') return constant('bool', value, span);
    // Minifiers write !0 and !1 for booleans, so a plain 0 or 1 is accepted too.
    if (value === 0 || value === 1) return constant('bool', value === 1, span);
    l.report(typeReports.narrowing(span, `the number ${value}`, 'bool'));
    return undefined;
  }
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (info.class === 'float') return floatLiteral(l, Number(number), kind, span);
  if (typeof number === 'number' && !Number.isInteger(number)) {
    l.report(typeReports.literalFraction(span, String(number), kind));
    return undefined;
  }
  const exact = BigInt(number);
  if (info.class === 'addr') {
    if (exact < 0n || exact > BigInt(Number.MAX_SAFE_INTEGER)) {
      l.report(typeReports.literalRange(span, String(exact), kind, '0 to 2^53 - 1'));
      return undefined;
    }
    return constant('addr', Number(exact), span);
  }
  const modulus = 1n << BigInt(info.bits);
  const low = info.signed ? -(modulus >> 1n) : 0n;
  const high = info.signed ? (modulus >> 1n) - 1n : modulus - 1n;
  // A negative literal wraps around in an unsigned type, as in C++. Below -2^N it is a mistake.
  const wrapped = !info.signed && exact < 0n && exact >= -modulus ? exact + modulus : exact;
  if (wrapped < low || wrapped > high) {
    l.report(typeReports.literalRange(span, String(exact), kind, `${low} to ${high}`));
    return undefined;
  }
  return constant(kind, info.bits === 64 ? wrapped : Number(wrapped), span);
}

function floatLiteral(l: Lowering, value: number, kind: ScalarKind, span: Span): Expression | undefined {
  const rounded = scalarConvert('f64', kind, value);
  if (typeof rounded !== 'number') return undefined;
  const lost = Number.isFinite(value) && (!Number.isFinite(rounded) || Math.abs(value) > largest(kind));
  if (lost) {
    l.report(typeReports.literalRange(span, String(value), kind, `magnitudes up to ${largest(kind)}`));
    return undefined;
  }
  return constant(kind, rounded, span);
}

/** The largest finite value, or for the wide floats the literal that still rounds to one. */
function largest(kind: ScalarKind): number {
  switch (kind) {
    case 'e4m3':
      return 448;
    case 'e5m2':
      return 57344;
    case 'f16':
      return f16ToNumber(numberToF16(65504));
    default:
      return Number.MAX_VALUE;
  }
}

/** The type of a literal without context, or `undefined` after a report. */
export function defaultType(l: Lowering, operand: LiteralOperand | ChoiceOperand, span: Span): ScalarKind | undefined {
  const values = literalValues(operand);
  if (values.every((value) => typeof value === 'boolean')) return 'bool';
  const fraction = values.find((value) => typeof value === 'number' && !Number.isInteger(value));
  if (fraction !== undefined) {
    l.report(typeReports.literalAlone(span, String(fraction)));
    return undefined;
  }
  return 'i32';
}

function literalValues(operand: LiteralOperand | ChoiceOperand): readonly (number | bigint | boolean)[] {
  return operand.kind === 'literal'
    ? [operand.literal]
    : [...literalValues(operand.then), ...literalValues(operand.else)];
}
