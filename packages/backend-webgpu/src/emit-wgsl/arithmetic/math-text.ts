import type { ScalarKind } from '@nccl-ts/core';
import { hasMath, mathArity, type MathFunction } from '@nccl-ts/ir';
import { fmaF32, rsqrtF32, sqrtF32 } from '../library/exact-f32.ts';
import { exp2F32, expF32, tanhF32 } from '../library/exponentials.ts';
import { log2F32, logF32, powF32 } from '../library/logarithms.ts';
import { nativeF32 } from '../library/native-f32.ts';
import { cosF32, sinF32 } from '../library/trigonometry.ts';
import { absI64 } from '../library/wide-integers.ts';
import { call, unsupported, type ArithmeticContext } from './context.ts';
import { isConstantText } from './literal.ts';
import { wgslScalar } from './representation.ts';
import { roundedText, wrappedText } from './round-text.ts';

/**
 * Returns a math function of values of `kind`. The texts must be atoms or parenthesized, and so is
 * the result.
 */
export function mathText(fn: MathFunction, kind: ScalarKind, args: readonly string[], c: ArithmeticContext): string {
  if (!hasMath(fn, kind) || args.length !== mathArity[fn]) throw unsupported(`math.${fn}`, kind);
  const [a = ''] = args;
  switch (wgslScalar(kind)) {
    case 'bool':
      throw unsupported(`math.${fn}`, kind);
    case 'u32':
      return a;
    case 'i32':
      // The absolute value of the smallest integer is that integer again.
      return wrappedText(kind, `abs(${a})`);
    case 'vec2u':
      return kind === 'i64' ? call(c, absI64, a) : a;
    case 'f32':
      return floatMath(fn, kind, args, c);
  }
}

function floatMath(fn: MathFunction, kind: ScalarKind, args: readonly string[], c: ArithmeticContext): string {
  switch (fn) {
    case 'abs':
    case 'floor':
    case 'ceil':
    case 'round':
    case 'trunc':
      // It is exact in any float, and the result never needs more digits.
      return nativeText(fn, args, c);
    case 'fma':
      // A second rounding requires that the first is to odd, because an f32 cannot hold all digits
      // of a product and a sum.
      if (c.exact) return roundedText(kind, call(c, fmaF32, ...args, String(kind !== 'f32')), c);
      return roundedText(kind, nativeText('fma', args, c), c);
    case 'sqrt':
    case 'rsqrt':
    case 'exp':
    case 'exp2':
    case 'log':
    case 'log2':
    case 'sin':
    case 'cos':
    case 'tanh':
    case 'pow':
      if (c.exact) return roundedText(kind, call(c, exactFunctions[fn], ...args), c);
      return roundedText(kind, nativeText(fn === 'rsqrt' ? 'inverseSqrt' : fn, args, c), c);
  }
}

const exactFunctions = {
  sqrt: sqrtF32,
  rsqrt: rsqrtF32,
  exp: expF32,
  exp2: exp2F32,
  log: logF32,
  log2: log2F32,
  sin: sinF32,
  cos: cosF32,
  tanh: tanhF32,
  pow: powF32,
};

/**
 * Returns WGSL's own function. For constants it is inside a call, since WGSL rejects constants that
 * are not finite and mistakes -0 for 0.
 */
function nativeText(name: string, args: readonly string[], c: ArithmeticContext): string {
  if (!args.every(isConstantText)) return `${name}(${args.join(', ')})`;
  const params = ['a', 'b', 'c'].slice(0, args.length);
  return call(c, nativeF32(name, params, `${name}(${params.join(', ')})`), ...args);
}
