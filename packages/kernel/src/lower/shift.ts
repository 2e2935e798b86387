import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { binary, constant, sameType, typeName, vector, type Expression, type Span, type Type } from '@nccl-ts/ir';
import { typeReports } from '../diagnose/type-reports.ts';
import { asValue, promoteValue, toKind } from './convert.ts';
import type { Lowering } from './lowering.ts';
import { poison, valueOperand, type Operand, type SpannedOperand } from './operand.ts';

/** Lowers `<<` and `>>`. Neither side decides the type of the other. */
export function lowerShift(
  l: Lowering,
  op: 'shl' | 'shr',
  operator: string,
  left: SpannedOperand,
  right: SpannedOperand,
  span: Span,
): Operand {
  const a = asValue(l, left.operand, left.span);
  if (a === undefined) return poison;
  const value = promoteValue(a, left.span);
  const { type } = value;
  const kind = type.kind === 'scalar' ? type.scalar : type.kind === 'vector' ? type.element : undefined;
  if (kind === undefined || scalarInfo[kind].class !== 'int')
    return l.report(typeReports.operand(span, operator, typeName(type)));
  const count = shiftCount(l, right, value.type, kind);
  if (count === undefined) return poison;
  return valueOperand(
    binary(
      op,
      value,
      type.kind === 'vector' && count.type.kind === 'scalar' ? vector(type, [count], right.span) : count,
      span,
    ),
  );
}

/**
 * Converts a shift count to the type of the left side. Any integer is allowed, because only its low
 * bits matter. A vector also accepts one count for each element.
 */
function shiftCount(l: Lowering, right: SpannedOperand, type: Type, kind: ScalarKind): Expression | undefined {
  if (right.operand.kind === 'literal') {
    const count = Number(right.operand.literal);
    if (!Number.isInteger(count)) {
      l.report(typeReports.shiftCount(right.span, String(count)));
      return undefined;
    }
    const masked = ((count % scalarInfo[kind].bits) + scalarInfo[kind].bits) % scalarInfo[kind].bits;
    return constant(kind, scalarInfo[kind].bits === 64 ? BigInt(masked) : masked, right.span);
  }
  const count = asValue(l, right.operand, right.span);
  if (count === undefined || (type.kind === 'vector' && sameType(count.type, type))) return count;
  if (count.type.kind !== 'scalar' || !['int', 'bool'].includes(scalarInfo[count.type.scalar].class)) {
    l.report(typeReports.shiftCount(right.span, typeName(count.type)));
    return undefined;
  }
  return toKind(count, kind, right.span);
}
