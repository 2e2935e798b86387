import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import type { BinaryOp, CompareOp, MathFunction, UnaryOp } from '@nccl-ts/ir';

import { helper, type EmitContext } from './context.ts';
import { isBig, isFloat } from './types.ts';

/** Returns `text`, a whole number of any size, modulo 2^N in the range of `scalar`. */
export function wrap(scalar: ScalarKind, text: string): string {
  switch (scalar) {
    case 'i8':
      return `(${text} << 24 >> 24)`;
    case 'u8':
      return `(${text} & 255)`;
    case 'i16':
      return `(${text} << 16 >> 16)`;
    case 'u16':
      return `(${text} & 65535)`;
    case 'i32':
      return `(${text} | 0)`;
    case 'u32':
      return `(${text} >>> 0)`;
    case 'i64':
      return `BigInt.asIntN(64, ${text})`;
    case 'u64':
      return `BigInt.asUintN(64, ${text})`;
    case 'bool':
    case 'addr':
    case 'f16':
    case 'bf16':
    case 'f32':
    case 'f64':
    case 'e4m3':
    case 'e5m2':
      return text;
  }
}

/** Returns `text`, a double, rounded to the float `scalar`. */
export function rounded(context: EmitContext, scalar: ScalarKind, text: string): string {
  switch (scalar) {
    case 'f32':
      return `Math.fround(${text})`;
    case 'f16':
      return `${helper(context, 'roundToF16')}(${text})`;
    case 'bf16':
      return `${helper(context, 'roundToBf16')}(${text})`;
    case 'e4m3':
      return `${helper(context, 'roundToE4m3')}(${text})`;
    case 'e5m2':
      return `${helper(context, 'roundToE5m2')}(${text})`;
    case 'f64':
    case 'bool':
    case 'i8':
    case 'u8':
    case 'i16':
    case 'u16':
    case 'i32':
    case 'u32':
    case 'i64':
    case 'u64':
    case 'addr':
      return text;
  }
}

const infix: Readonly<Partial<Record<BinaryOp, string>>> = { add: '+', sub: '-', mul: '*', div: '/', rem: '%' };
const bitwise: Readonly<Partial<Record<BinaryOp, string>>> = { and: '&', or: '|', xor: '^' };

/** The thread and site that a faulting operation reports. */
export interface FaultSite {
  readonly thread: string;
  readonly site: () => number;
}

/** Operands must be atoms or parenthesized. */
export function binaryText(
  context: EmitContext,
  op: BinaryOp,
  scalar: ScalarKind,
  a: string,
  b: string,
  faultSite: FaultSite,
): string {
  if (isFloat(scalar)) return floatText(context, op, scalar, a, b);
  const sign = infix[op];
  if (scalar === 'addr') {
    if (op === 'min' || op === 'max') return `Math.${op}(${a}, ${b})`;
    return `${helper(context, 'address')}(cta, ${faultSite.thread}, ${faultSite.site()}, ${a} ${sign ?? '+'} ${b})`;
  }
  if (scalar === 'bool') return op === 'xor' ? `(${a} !== ${b})` : `((${a} ${bitwise[op] ?? '&'} ${b}) !== 0)`;
  switch (op) {
    case 'mul':
      if (scalar === 'i32') return `Math.imul(${a}, ${b})`;
      if (scalar === 'u32') return `(Math.imul(${a}, ${b}) >>> 0)`;
      return wrap(scalar, `(${a} * ${b})`);
    case 'add':
    case 'sub':
      return wrap(scalar, `(${a} ${sign} ${b})`);
    case 'div':
    case 'rem':
      return divisionText(context, op, scalar, a, b, faultSite);
    case 'and':
    case 'or':
    case 'xor': {
      const text = `(${a} ${bitwise[op]} ${b})`;
      return scalar === 'u32' ? `(${text} >>> 0)` : text;
    }
    case 'shl':
      return wrap(scalar, `(${a} << ${shiftCount(scalar, b)})`);
    case 'shr':
      return scalar === 'u32' ? `(${a} >>> ${b})` : `(${a} >> ${shiftCount(scalar, b)})`;
    case 'min':
    case 'max':
      if (isBig(scalar)) return `${helper(context, op === 'min' ? 'bigMin' : 'bigMax')}(${a}, ${b})`;
      return `Math.${op}(${a}, ${b})`;
  }
}

function floatText(context: EmitContext, op: BinaryOp, scalar: ScalarKind, a: string, b: string): string {
  if (op === 'min' || op === 'max') return `${helper(context, op === 'min' ? 'floatMin' : 'floatMax')}(${a}, ${b})`;
  if (op === 'rem') return rounded(context, scalar, `${helper(context, 'oneNaN')}(${a} % ${b})`);
  return rounded(context, scalar, scalar === 'f64' ? `(${a} ${infix[op]} ${b})` : `${a} ${infix[op]} ${b}`);
}

/** JavaScript itself masks the counts of 32-bit shifts. */
function shiftCount(scalar: ScalarKind, b: string): string {
  const { bits } = scalarInfo[scalar];
  return bits === 32 ? b : bits === 64 ? `(${b} & 63n)` : `(${b} & ${bits - 1})`;
}

const safeDivisor = /^[1-9]\d*n?$/;

function divisionText(
  context: EmitContext,
  op: 'div' | 'rem',
  scalar: ScalarKind,
  a: string,
  b: string,
  faultSite: FaultSite,
): string {
  const sign = op === 'div' ? '/' : '%';
  if (safeDivisor.test(b)) return isBig(scalar) ? `(${a} ${sign} ${b})` : wrap(scalar, `(${a} ${sign} ${b})`);
  const name = helper(context, `${op}${isBig(scalar) ? 'Big' : ''}`);
  const smallest = scalarInfo[scalar].signed ? scalarInfo[scalar].min : undefined;
  const least =
    smallest === undefined ? (isBig(scalar) ? '1n' : '1') : isBig(scalar) ? `(${smallest}n)` : `(${smallest})`;
  // Unsigned types have neither the value `least` nor a divisor of -1.
  return wrap(scalar, `${name}(cta, ${faultSite.thread}, ${faultSite.site()}, ${a}, ${b}, ${least})`);
}

const comparison: Readonly<Record<CompareOp, string>> = {
  eq: '===',
  ne: '!==',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
};

export function compareText(op: CompareOp, a: string, b: string): string {
  return `(${a} ${comparison[op]} ${b})`;
}

export function unaryText(context: EmitContext, op: UnaryOp, scalar: ScalarKind, a: string): string {
  switch (op) {
    case 'not':
      return `(!${a})`;
    case 'neg':
      return isFloat(scalar) ? `(-${a})` : wrap(scalar, `(-${a})`);
    case 'bitNot':
      return scalar === 'bool' ? `(!${a})` : wrap(scalar, `(~${a})`);
    case 'popcount':
    case 'ctz':
    case 'clz': {
      const { bits } = scalarInfo[scalar];
      if (op === 'clz' && bits === 32) return `Math.clz32(${a})`;
      return `${helper(context, isBig(scalar) ? `${op}Big` : op)}(${a}, ${bits})`;
    }
  }
}

const direct: Readonly<Partial<Record<MathFunction, string>>> = {
  sqrt: 'sqrt',
  exp: 'exp',
  log: 'log',
  log2: 'log2',
  sin: 'sin',
  cos: 'cos',
  tanh: 'tanh',
  floor: 'floor',
  ceil: 'ceil',
  trunc: 'trunc',
};

export function mathText(context: EmitContext, fn: MathFunction, scalar: ScalarKind, args: readonly string[]): string {
  const [a = '0', b = '0', c = '0'] = args;
  if (fn === 'abs') {
    if (isBig(scalar)) return wrap(scalar, `${helper(context, 'bigAbs')}(${a})`);
    return wrap(scalar, `Math.abs(${a})`);
  }
  switch (fn) {
    case 'fma':
      return scalar === 'f64'
        ? `${helper(context, 'fma64')}(${a}, ${b}, ${c})`
        : rounded(context, scalar, `${helper(context, 'fmaOdd')}(${a}, ${b}, ${c})`);
    case 'rsqrt':
      return rounded(context, scalar, `(1 / Math.sqrt(${a}))`);
    case 'exp2':
      return rounded(context, scalar, `${helper(context, 'oneNaN')}(Math.pow(2, ${a}))`);
    case 'round':
      return `${helper(context, 'roundEven')}(${a})`;
    case 'pow':
      return rounded(context, scalar, `${helper(context, 'power')}(${a}, ${b})`);
    case 'exp':
    case 'log':
    case 'log2':
    case 'sin':
    case 'cos':
    case 'tanh':
      return rounded(context, scalar, `${helper(context, 'oneNaN')}(Math.${direct[fn]}(${a}))`);
    case 'sqrt':
    case 'floor':
    case 'ceil':
    case 'trunc':
      return rounded(context, scalar, `Math.${direct[fn]}(${a})`);
  }
}
