import { scalarInfo } from '@nccl-ts/core';
import {
  bitcast,
  constant,
  elementScalar,
  lane,
  math,
  mathArity,
  sameType,
  scalarType,
  typeName,
  unary,
  withLane,
  type Expression,
  type MathFunction,
  type Span,
  type UnaryOp,
  type ValueType,
} from '@nccl-ts/ir';
import { typeReports } from '../diagnose/type-reports.ts';
import { callReports } from '../diagnose/call-reports.ts';
import { argument, checkCount, typeArgument } from './arguments.ts';
import { asValue, assignTo, castTo, promoteValue } from './convert.ts';
import type { Lowering } from './lowering.ts';
import { checkElement } from './memory.ts';
import {
  describe,
  functionOperand,
  literalOperand,
  poison,
  recordOperand,
  valueOperand,
  type Argument,
  type CallOperands,
  type Operand,
} from './operand.ts';
import { lowerMinMax } from './operator.ts';

/** The members of `math`; the IR's math functions `abs` and `fma` are built-ins of their own. */
function mathNames<Name extends string>(arity: Readonly<Record<Name, number>>): readonly Name[] {
  const names: Name[] = [];
  for (const name in arity) if (name !== 'abs' && name !== 'fma') names.push(name);
  return names;
}

/** The arithmetic built-ins. */
export function arithmeticBuiltins(l: Lowering): Readonly<Record<string, Operand>> {
  return {
    math: recordOperand(
      'math',
      mathNames(mathArity).map((name): [string, Operand] => [name, mathFunction(l, name)]),
    ),
    min: functionOperand('min', (call) => minMax(l, 'min', call)),
    max: functionOperand('max', (call) => minMax(l, 'max', call)),
    abs: functionOperand('abs', (call) => lowerAbs(l, call)),
    fma: functionOperand('fma', (call) => lowerFma(l, call)),
    popcount: functionOperand('popcount', (call) => bitCount(l, 'popcount', call)),
    clz: functionOperand('clz', (call) => bitCount(l, 'clz', call)),
    ctz: functionOperand('ctz', (call) => bitCount(l, 'ctz', call)),
    lane: functionOperand('lane', (call) => lowerLane(l, call)),
    withLane: functionOperand('withLane', (call) => lowerWithLane(l, call)),
    bitcast: functionOperand('bitcast', (call) => lowerBitcast(l, call)),
    typeOf: functionOperand('typeOf', (call) => lowerTypeOf(l, call)),
    sizeOf: functionOperand('sizeOf', (call) => lowerSizeOf(l, call)),
  };
}

function mathFunction(l: Lowering, name: MathFunction): Operand {
  return functionOperand(`math.${name}`, (call) => {
    if (!checkCount(l, `math.${name}`, call, mathArity[name])) return poison;
    const args = floatArguments(l, `math.${name}`, call);
    return args === undefined ? poison : valueOperand(math(name, args, call.span));
  });
}

/** Converts all arguments to one float type: that of the first argument that has one. */
function floatArguments(l: Lowering, name: string, call: CallOperands): readonly Expression[] | undefined {
  const typed = call.args.find(({ operand }) => operand.kind === 'value');
  if (typed === undefined) {
    if (call.args.some(({ operand }) => operand.kind === 'poison')) return undefined;
    const { operand, span } = argument(call, 0);
    // An operand that is not a number is reported as such.
    if (operand.kind !== 'literal' && operand.kind !== 'choice') asValue(l, operand, span);
    else l.report(typeReports.literalAlone(span, operand.kind === 'literal' ? String(operand.literal) : '1'));
    return undefined;
  }
  const value = asValue(l, typed.operand, typed.span);
  if (value === undefined) return undefined;
  const { type } = value;
  if ((type.kind !== 'scalar' && type.kind !== 'vector') || !computesAsFloat(type)) {
    l.report(typeReports.mathOperand(typed.span, name, typeName(type)));
    return undefined;
  }
  const args = call.args.map(({ operand, span }) => assignTo(l, operand, type, span));
  const known = args.filter((arg) => arg !== undefined);
  return known.length === args.length ? known : undefined;
}

function computesAsFloat(type: ValueType): boolean {
  const kind = elementScalar(type);
  return scalarInfo[kind].class === 'float' && kind !== 'e4m3' && kind !== 'e5m2';
}

function minMax(l: Lowering, op: 'min' | 'max', call: CallOperands): Operand {
  if (!checkCount(l, op, call, 2)) return poison;
  return lowerMinMax(l, op, argument(call, 0), argument(call, 1), call.span);
}

function lowerAbs(l: Lowering, call: CallOperands): Operand {
  if (!checkCount(l, 'abs', call, 1)) return poison;
  const { operand, span } = argument(call, 0);
  if (operand.kind === 'literal' && typeof operand.literal !== 'boolean')
    return literalOperand(operand.literal < 0 || Object.is(operand.literal, -0) ? -operand.literal : operand.literal);
  const value = promoted(l, { operand, span });
  if (value === undefined) return poison;
  const kind = kindOf(value);
  // A vector of sixteen FP8 values cannot be promoted to f16, because it would exceed 16 bytes.
  const stored = kind === 'e4m3' || kind === 'e5m2';
  if (kind === undefined || kind === 'bool' || kind === 'addr' || stored)
    return l.report(typeReports.operand(call.span, 'abs', typeName(value.type)));
  if (scalarInfo[kind].class === 'int' && !scalarInfo[kind].signed) return valueOperand(value);
  return valueOperand(math('abs', [value], call.span));
}

/** Applies the promotions of arithmetic to a value. */
function promoted(l: Lowering, { operand, span }: Argument): Expression | undefined {
  const value = asValue(l, operand, span);
  return value && promoteValue(value, span);
}

function kindOf(value: Expression): ReturnType<typeof elementScalar> | undefined {
  return value.type.kind === 'scalar' || value.type.kind === 'vector' ? elementScalar(value.type) : undefined;
}

function lowerFma(l: Lowering, call: CallOperands): Operand {
  if (!checkCount(l, 'fma', call, 3)) return poison;
  const args = floatArguments(l, 'fma', call);
  return args === undefined ? poison : valueOperand(math('fma', args, call.span));
}

function bitCount(l: Lowering, op: Extract<UnaryOp, 'popcount' | 'clz' | 'ctz'>, call: CallOperands): Operand {
  if (!checkCount(l, op, call, 1)) return poison;
  const value = promoted(l, argument(call, 0));
  if (value === undefined) return poison;
  const kind = kindOf(value);
  if (kind === undefined || scalarInfo[kind].class !== 'int')
    return l.report(typeReports.operand(call.span, op, typeName(value.type)));
  return valueOperand(unary(op, value, call.span));
}

function vectorArgument(l: Lowering, name: string, { operand, span }: Argument): Expression | undefined {
  const value = asValue(l, operand, span);
  if (value === undefined || value.type.kind === 'vector') return value;
  l.report(callReports.argumentKind(span, name, 'vector', 'a vector', describe(operand)));
  return undefined;
}

function laneIndex(l: Lowering, { operand, span }: Argument, width: number): Expression | undefined {
  if (operand.kind === 'literal') {
    const index = Number(operand.literal);
    if (!Number.isInteger(index) || index < 0 || index >= width) {
      l.report(typeReports.laneRange(span, index, width));
      return undefined;
    }
    return constant('u32', index, span);
  }
  return assignTo(l, operand, scalarType('u32'), span);
}

function lowerLane(l: Lowering, call: CallOperands): Operand {
  if (!checkCount(l, 'lane', call, 2)) return poison;
  const vector = vectorArgument(l, 'lane', argument(call, 0));
  if (vector?.type.kind !== 'vector') return poison;
  const index = laneIndex(l, argument(call, 1), vector.type.width);
  return index === undefined ? poison : valueOperand(lane(vector, index, call.span));
}

function lowerWithLane(l: Lowering, call: CallOperands): Operand {
  if (!checkCount(l, 'withLane', call, 3)) return poison;
  const vector = vectorArgument(l, 'withLane', argument(call, 0));
  if (vector?.type.kind !== 'vector') return poison;
  const index = laneIndex(l, argument(call, 1), vector.type.width);
  const { operand, span } = argument(call, 2);
  const value = assignTo(l, operand, scalarType(vector.type.element), span);
  return index === undefined || value === undefined ? poison : valueOperand(withLane(vector, index, value, call.span));
}

function lowerBitcast(l: Lowering, call: CallOperands): Operand {
  if (!checkCount(l, 'bitcast', call, 2)) return poison;
  const type = typeArgument(l, 'bitcast', argument(call, 0));
  const { operand, span } = argument(call, 1);
  const value = asValue(l, operand, span);
  if (type === undefined || value === undefined) return poison;
  if ((value.type.kind !== 'scalar' && value.type.kind !== 'vector') || !hasBytes(type) || !hasBytes(value.type)) {
    return l.report(typeReports.cast(call.span, value.type, typeName(type)));
  }
  if (bytesOf(type) !== bytesOf(value.type))
    return l.report(typeReports.bitcastSize(call.span, typeName(value.type), typeName(type)));
  return valueOperand(sameType(type, value.type) ? value : bitcast(type, value, call.span));
}

function lowerTypeOf(l: Lowering, call: CallOperands): Operand {
  if (!checkCount(l, 'typeOf', call, 1)) return poison;
  const { operand, span } = argument(call, 0);
  const value = asValue(l, operand, span);
  if (value === undefined) return poison;
  const type = value.type.kind === 'pointer' ? value.type.element : value.type;
  if (type.kind === 'handle') {
    return l.report(callReports.argumentKind(span, 'typeOf', 'value', 'a number or a pointer', describe(operand)));
  }
  return { kind: 'type', type };
}

function lowerSizeOf(l: Lowering, call: CallOperands): Operand {
  if (!checkCount(l, 'sizeOf', call, 1)) return poison;
  const { span } = argument(call, 0);
  const type = typeArgument(l, 'sizeOf', argument(call, 0));
  if (type === undefined) return poison;
  return checkElement(l, type, span) ? literalOperand(bytesOf(type)) : poison;
}

function hasBytes(type: ValueType): boolean {
  return elementScalar(type) !== 'bool' && elementScalar(type) !== 'addr';
}

function bytesOf(type: ValueType): number {
  return scalarInfo[elementScalar(type)].bytes * (type.kind === 'vector' ? type.width : 1);
}

/** Lowers the call of a type, which casts a value or makes a vector from its elements. */
export function castCall(
  l: Lowering,
  type: ValueType,
  call: CallOperands,
  build: (elements: readonly Expression[], span: Span) => Expression,
): Operand {
  const name = typeName(type);
  if (type.kind === 'vector' && call.args.length > 1) {
    if (call.args.length !== type.width) {
      const usage = `${name}(x) or one value for each of the ${type.width} elements`;
      return l.report(
        callReports.argumentCount(call.span, name, call.args.length, `1 or ${type.width} arguments`, usage),
      );
    }
    const element = scalarType(type.element);
    const elements = call.args.map(({ operand, span }) => assignTo(l, operand, element, span));
    const known = elements.filter((item) => item !== undefined);
    return known.length === elements.length ? valueOperand(build(known, call.span)) : poison;
  }
  if (!checkCount(l, name, call, 1)) return poison;
  const { operand, span } = argument(call, 0);
  const value = castTo(l, operand, type, span);
  return value === undefined ? poison : valueOperand(value);
}
