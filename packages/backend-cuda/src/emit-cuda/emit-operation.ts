import { NcclError, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import type { BinaryOp, CompareOp, MathFunction, UnaryOp } from '@nccl-ts/ir';
import { cppScalar } from './cpp-type.ts';
import type { PreludePart } from './prelude.ts';

/** Records that helper code is used. */
export type UsePrelude = (part: PreludePart) => void;

const symbols: Readonly<Record<Exclude<BinaryOp, 'min' | 'max'>, string>> = {
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
  rem: '%',
  and: '&',
  or: '|',
  xor: '^',
  shl: '<<',
  shr: '>>',
};

/** Returns `a op b` for two scalars of `kind`. The texts must be atoms or parenthesized. */
export function binaryText(op: BinaryOp, kind: ScalarKind, a: string, b: string, use: UsePrelude): string {
  if (kind === 'f16' || kind === 'bf16') {
    use(kind === 'f16' ? 'half' : 'bf16');
    return `nts::${kind}(${binaryText(op, 'f32', `nts::f(${a})`, `nts::f(${b})`, use)})`;
  }
  if (kind === 'f32' || kind === 'f64') return floatBinary(op, kind, a, b);
  const info = scalarInfo[kind];
  if (op === 'min' || op === 'max') return `(${a} ${op === 'min' ? '<' : '>'} ${b} ? ${a} : ${b})`;
  if (kind === 'i32' || kind === 'i64') {
    if (op === 'add' || op === 'sub' || op === 'mul' || op === 'shl') {
      use('wrap');
      return `nts::${op}(${a}, ${b})`;
    }
  }
  const count = op === 'shl' || op === 'shr' ? `(${b} & ${info.bits - 1})` : b;
  const text = `(${a} ${symbols[op]} ${count})`;
  // C++ computes narrow integers as int.
  return info.bits < 32 ? `(${cppScalar(kind)})${text}` : text;
}

function floatBinary(op: BinaryOp, kind: 'f32' | 'f64', a: string, b: string): string {
  const suffix = kind === 'f32' ? 'f' : '';
  switch (op) {
    case 'min':
    case 'max':
      return `f${op}${suffix}(${a}, ${b})`;
    case 'rem':
      return `fmod${suffix}(${a}, ${b})`;
    case 'add':
    case 'sub':
    case 'mul':
    case 'div':
      return `(${a} ${symbols[op]} ${b})`;
    case 'and':
    case 'or':
    case 'shl':
    case 'shr':
    case 'xor':
      throw new NcclError('NCCL_INTERNAL_ERROR', `Floats have no ${op}.`);
  }
}

export function unaryText(op: UnaryOp, kind: ScalarKind, a: string, use: UsePrelude): string {
  const { bits } = scalarInfo[kind];
  const wide = bits === 64;
  const bitsOf = wide
    ? `(unsigned long long)${a}`
    : bits === 32
      ? `(unsigned int)${a}`
      : `(unsigned int)(unsigned ${bits === 8 ? 'char' : 'short'})${a}`;
  switch (op) {
    case 'neg':
      if (kind === 'f16' || kind === 'bf16') {
        use(kind === 'f16' ? 'half' : 'bf16');
        return `nts::${kind}(-nts::f(${a}))`;
      }
      if (kind === 'f32' || kind === 'f64') return `(-${a})`;
      return binaryText('sub', kind, `(${cppScalar(kind)})0`, a, use);
    case 'not':
      return `(!${a})`;
    case 'bitNot':
      return `(${cppScalar(kind)})(~${a})`;
    case 'popcount':
      return `(${cppScalar(kind)})__popc${wide ? 'll' : ''}(${bitsOf})`;
    case 'clz':
      return bits < 32
        ? `(${cppScalar(kind)})(__clz(${bitsOf}) - ${32 - bits})`
        : `(${cppScalar(kind)})__clz${wide ? 'll' : ''}(${bitsOf})`;
    case 'ctz':
      return `(${cppScalar(kind)})(${a} == 0 ? ${bits} : __ffs${wide ? 'll' : ''}(${bitsOf}) - 1)`;
  }
}

const comparisons: Readonly<Record<CompareOp, string>> = { eq: '==', ne: '!=', lt: '<', le: '<=', gt: '>', ge: '>=' };

export function compareText(
  op: CompareOp,
  kind: ScalarKind | undefined,
  a: string,
  b: string,
  use: UsePrelude,
): string {
  if (kind === 'f16' || kind === 'bf16') {
    use(kind === 'f16' ? 'half' : 'bf16');
    return `(nts::f(${a}) ${comparisons[op]} nts::f(${b}))`;
  }
  return `(${a} ${comparisons[op]} ${b})`;
}

/**
 * CUDA's float functions with an error above 1 ULP (expf was measured, the others are documented).
 * They are computed in double and rounded.
 */
const inDouble: readonly MathFunction[] = ['exp', 'exp2', 'log', 'log2', 'sin', 'cos', 'tanh', 'pow'];

export function mathText(name: MathFunction, kind: ScalarKind, args: readonly string[], use: UsePrelude): string {
  if (kind === 'f16' || kind === 'bf16') {
    use(kind === 'f16' ? 'half' : 'bf16');
    if (name === 'fma') return `__hfma(${args.join(', ')})`;
    return `nts::${kind}(${mathText(
      name,
      'f32',
      args.map((arg) => `nts::f(${arg})`),
      use,
    )})`;
  }
  const [a = '0'] = args;
  if (name === 'abs') {
    if (kind === 'f32' || kind === 'f64') return `fabs${kind === 'f32' ? 'f' : ''}(${a})`;
    return `(${a} < 0 ? ${unaryText('neg', kind, a, use)} : ${a})`;
  }
  if (kind === 'f64') return `${name === 'round' ? 'rint' : name}(${args.join(', ')})`;
  switch (name) {
    case 'fma':
      return `__fmaf_rn(${args.join(', ')})`;
    case 'sqrt':
      return `__fsqrt_rn(${a})`;
    case 'rsqrt':
      return `__frsqrt_rn(${a})`;
    case 'round':
      return `rintf(${a})`;
    case 'ceil':
    case 'cos':
    case 'exp':
    case 'exp2':
    case 'floor':
    case 'log':
    case 'log2':
    case 'pow':
    case 'sin':
    case 'tanh':
    case 'trunc':
      if (inDouble.includes(name)) return `(float)${name}(${args.map((arg) => `(double)${arg}`).join(', ')})`;
      return `${name}f(${args.join(', ')})`;
  }
}
