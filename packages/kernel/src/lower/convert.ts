import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  compare,
  constant,
  convert,
  elementScalar,
  sameType,
  scalarType,
  typeName,
  vector,
  vectorType,
  type Expression,
  type Span,
  type Type,
  type ValueType,
} from '@nccl-ts/ir';
import { callReports } from '../diagnose/call-reports.ts';
import { typeReports } from '../diagnose/type-reports.ts';
import { defaultType, literalAs } from './literal.ts';
import type { Lowering } from './lowering.ts';
import { describe, type Operand } from './operand.ts';

/**
 * Returns the operand as a run-time value of its own type, or `undefined` after a report. A literal
 * gets its default type.
 */
export function asValue(l: Lowering, operand: Operand, span: Span): Expression | undefined {
  switch (operand.kind) {
    case 'value':
      return operand.value;
    case 'literal':
    case 'choice': {
      const kind = defaultType(l, operand, span);
      return kind && literalAs(l, operand, scalarType(kind), span);
    }
    case 'poison':
      return undefined;
    case 'void':
      l.report(typeReports.noValue(span, 'this call'));
      return undefined;
    case 'function':
      l.report(callReports.functionAlone(span, operand.name));
      return undefined;
    case 'unroll':
      l.report(callReports.unrollAlone(span));
      return undefined;
    case 'session':
      l.report(callReports.sessionCopied(span));
      return undefined;
    default:
      l.report(typeReports.compileTimeOnly(span, operand.kind, describe(operand)));
      return undefined;
  }
}

/**
 * True if `from` converts to `to` without a cast. Integers of the same width convert, as in C++.
 */
export function convertsImplicitly(from: ScalarKind, to: ScalarKind): boolean {
  if (from === to) return true;
  const source = scalarInfo[from];
  const target = scalarInfo[to];
  if (to === 'bool' || source.class === 'bool') return source.class === 'bool' && target.class === 'int';
  if (source.class === 'float' || target.class === 'float') {
    if (source.class !== target.class) return false;
    return floatHolds(from, to);
  }
  // Offsets come from integers of any width; a negative one faults.
  if (to === 'addr') return true;
  if (from === 'addr') return target.bits === 64;
  return target.bits >= source.bits;
}

function floatHolds(from: ScalarKind, to: ScalarKind): boolean {
  const wider: Readonly<Partial<Record<ScalarKind, readonly ScalarKind[]>>> = {
    e4m3: ['f16', 'bf16', 'f32', 'f64'],
    e5m2: ['f16', 'bf16', 'f32', 'f64'],
    f16: ['f32', 'f64'],
    bf16: ['f32', 'f64'],
    f32: ['f64'],
  };
  return wider[from]?.includes(to) ?? false;
}

/**
 * Converts the operand to `type`, for an assignment, an argument or a store. `undefined` after a
 * report.
 */
export function assignTo(l: Lowering, operand: Operand, type: Type, span: Span): Expression | undefined {
  if ((operand.kind === 'literal' || operand.kind === 'choice') && (type.kind === 'scalar' || type.kind === 'vector')) {
    return literalAs(l, operand, type, span);
  }
  const value = asValue(l, operand, span);
  if (value === undefined || sameType(value.type, type)) return value;
  const from = value.type;
  if (type.kind === 'scalar' && from.kind === 'scalar') {
    if (convertsImplicitly(from.scalar, type.scalar)) return convert(type, value, span);
  }
  if (type.kind === 'vector' && from.kind === 'scalar' && from.scalar === type.element)
    return vector(type, [value], span);
  l.report(typeReports.narrowing(span, typeName(from), typeName(type)));
  return undefined;
}

/** Converts by a cast of the author, such as `f32(x)`. */
export function castTo(l: Lowering, operand: Operand, type: ValueType, span: Span): Expression | undefined {
  if (operand.kind === 'literal' || operand.kind === 'choice') {
    const cast = operand.kind === 'literal' ? castLiteral(operand.literal, type) : undefined;
    return cast ?? literalAs(l, operand, type, span);
  }
  const value = asValue(l, operand, span);
  if (value === undefined || sameType(value.type, type)) return value;
  const from = value.type;
  const toAddress = type.kind === 'scalar' && type.scalar === 'addr';
  const fromFloat = from.kind === 'scalar' && scalarInfo[from.scalar].class === 'float';
  if (from.kind === 'scalar' && type.kind === 'scalar' && !(toAddress && fromFloat)) return convert(type, value, span);
  if (from.kind === 'vector' && type.kind === 'vector' && from.width === type.width) return convert(type, value, span);
  if (from.kind === 'scalar' && type.kind === 'vector') {
    const element = scalarType(type.element);
    return vector(type, [sameType(from, element) ? value : convert(element, value, span)], span);
  }
  l.report(typeReports.cast(span, from, typeName(type)));
  return undefined;
}

/** `i32(true)` and `bool(5)` follow C++; everything else follows the rules of literals. */
function castLiteral(value: number | bigint | boolean, type: ValueType): Expression | undefined {
  if (type.kind === 'scalar' && type.scalar === 'bool') {
    return constant('bool', typeof value === 'boolean' ? value : Number(value) !== 0);
  }
  return undefined;
}

/**
 * Converts the operand to a condition. A bool stays as it is, and a number is compared with 0.
 * Returns `undefined` after a report.
 */
export function asCondition(l: Lowering, operand: Operand, span: Span): Expression | undefined {
  if (operand.kind === 'literal') {
    const { literal } = operand;
    return constant(
      'bool',
      typeof literal === 'boolean' ? literal : Number(literal) !== 0 && !Number.isNaN(Number(literal)),
      span,
    );
  }
  const value = asValue(l, operand, span);
  if (value === undefined) return undefined;
  if (value.type.kind !== 'scalar') {
    l.report(typeReports.condition(span, typeName(value.type), value.type.kind));
    return undefined;
  }
  const { scalar } = value.type;
  if (scalar === 'bool') return value;
  // FP8 is a storage type, so it is compared in the type in which it is computed.
  const compared = scalarInfo[scalar].class === 'float' ? toKind(value, promote(scalar), span) : value;
  return compare('ne', compared, zero(scalarOf(compared.type) ?? scalar), span);
}

function zero(kind: ScalarKind): Expression {
  const info = scalarInfo[kind];
  return constant(kind, info.class === 'int' && info.bits === 64 ? 0n : 0);
}

/** Returns the common type by the usual arithmetic conversions, or `undefined` if there is none. */
export function commonScalar(left: ScalarKind, right: ScalarKind): ScalarKind | 'mixed' | undefined {
  const a = promote(left);
  const b = promote(right);
  if (a === b) return a;
  const x = scalarInfo[a];
  const y = scalarInfo[b];
  if (x.class === 'addr' || y.class === 'addr') {
    return x.class === 'float' || y.class === 'float' ? 'mixed' : 'addr';
  }
  if (x.class !== y.class) return 'mixed';
  if (x.class === 'float') {
    if (floatHolds(a, b)) return b;
    return floatHolds(b, a) ? a : undefined;
  }
  if (x.bits !== y.bits) return x.bits > y.bits ? a : b;
  return x.signed ? b : a;
}

/** Applies C++'s integer promotions. FP8 becomes f16. */
export function promote(kind: ScalarKind): ScalarKind {
  switch (kind) {
    case 'bool':
    case 'i8':
    case 'u8':
    case 'i16':
    case 'u16':
      return 'i32';
    case 'e4m3':
    case 'e5m2':
      return 'f16';
    default:
      return kind;
  }
}

/** Converts `value` to `kind`, element by element. Vectors of FP8 are promoted too. */
export function toKind(value: Expression, kind: ScalarKind, span: Span): Expression {
  const { type } = value;
  if (type.kind !== 'scalar' || type.scalar === kind) return value;
  return convert(scalarType(kind), value, span);
}

export function scalarOf(type: Type): ScalarKind | undefined {
  return type.kind === 'scalar' || type.kind === 'vector' ? elementScalar(type) : undefined;
}

/**
 * Promotes an operand. Vectors of FP8 become vectors of f16, scalars follow C++'s promotions, and
 * other vectors stay unchanged.
 */
export function promoteValue(value: Expression, span: Span): Expression {
  const { type } = value;
  if (type.kind === 'scalar') return toKind(value, promote(type.scalar), span);
  if (type.kind === 'vector' && (type.element === 'e4m3' || type.element === 'e5m2')) {
    // Sixteen FP8 values would be 32 bytes of f16, so the author must compute each half separately.
    return type.width > 8 ? value : convert(vectorType('f16', type.width), value, span);
  }
  return value;
}
