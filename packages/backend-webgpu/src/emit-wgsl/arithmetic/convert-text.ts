import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { hasConvert } from '@nccl-ts/ir';
import { addressOfI32, addressOfU64 } from '../library/addresses.ts';
import { i32OfF32, i64OfF32, u32OfF32, u64OfF32 } from '../library/float-to-integer.ts';
import { floatOfI64, floatOfU64, oddFloatOfI64, oddFloatOfU64 } from '../library/integer-to-float.ts';
import { i64OfI32 } from '../library/wide-integers.ts';
import { call, unsupported, type ArithmeticContext } from './context.ts';
import { wgslScalar } from './representation.ts';
import { roundedText, wrappedText } from './round-text.ts';

/**
 * Converts `a` of kind `from` to `to`, with the semantics of the IR's `convert`. The text is an
 * atom or parenthesized.
 */
export function convertText(from: ScalarKind, to: ScalarKind, a: string, c: ArithmeticContext): string {
  if (!hasConvert(from, to)) throw unsupported(`a conversion to ${to}`, from);
  const source = wgslScalar(from);
  const target = wgslScalar(to);
  if (from === to) return a;
  switch (target) {
    case 'bool':
      return toBool(from, a);
    case 'f32':
      if (source === 'f32') return holds(to, from) ? a : roundedText(to, a, c);
      return source === 'bool' ? `f32(${a})` : integerToFloat(from, to, a, c);
    case 'vec2u':
      if (source === 'f32') return call(c, to === 'i64' ? i64OfF32 : u64OfF32, a);
      return toWide(from, to, a, c);
    case 'i32':
    case 'u32':
      return toNarrow(from, to, a, c);
  }
}

function toBool(from: ScalarKind, a: string): string {
  switch (wgslScalar(from)) {
    case 'bool':
      return a;
    case 'i32':
      return `(${a} != 0i)`;
    case 'u32':
      return `(${a} != 0u)`;
    case 'vec2u':
      return `any(${a} != vec2u(0u))`;
    case 'f32':
      return `((bitcast<u32>(${a}) & 0x7fffffffu) != 0u)`;
  }
}

/**
 * True if every value of `inner` is a value of `outer`: integers by range, floats by digits and
 * exponents.
 */
function holds(outer: ScalarKind, inner: ScalarKind): boolean {
  const a = scalarInfo[outer];
  const b = scalarInfo[inner];
  if (a.class === 'float' && b.class === 'float') {
    // e5m2 has infinities, which e4m3 lacks. This does not matter, because e4m3 also has fewer
    // digits.
    return a.significandBits >= b.significandBits && a.maxFinite >= b.maxFinite && a.minSubnormal <= b.minSubnormal;
  }
  return a.min !== undefined && b.min !== undefined && a.min <= b.min && a.max >= b.max;
}

/** Rounds once. A value that is rounded again to fewer digits is first rounded to odd. */
function integerToFloat(from: ScalarKind, to: ScalarKind, a: string, c: ArithmeticContext): string {
  const { bits, signed } = scalarInfo[from];
  if (bits <= 16) return roundedText(to, `f32(${a})`, c);
  if (bits === 32 && to === 'f32' && !c.exact) return `f32(${a})`;
  const wide = toWide(from, signed ? 'i64' : 'u64', a, c);
  if (to === 'f32') return call(c, signed ? floatOfI64 : floatOfU64, wide);
  return roundedText(to, call(c, signed ? oddFloatOfI64 : oddFloatOfU64, wide), c);
}

function toWide(from: ScalarKind, to: ScalarKind, a: string, c: ArithmeticContext): string {
  switch (wgslScalar(from)) {
    case 'bool':
      return `vec2u(u32(${a}), 0u)`;
    case 'i32':
      return to === 'addr' ? call(c, addressOfI32, a, c.site) : call(c, i64OfI32, a);
    case 'u32':
      return `vec2u(${a}, 0u)`;
    case 'vec2u':
      return to === 'addr' && from !== 'addr' ? call(c, addressOfU64, a, c.site) : a;
    case 'f32':
      throw unsupported(`a conversion to ${to}`, from);
  }
}

function toNarrow(from: ScalarKind, to: ScalarKind, a: string, c: ArithmeticContext): string {
  const signed = wgslScalar(to) === 'i32';
  switch (wgslScalar(from)) {
    case 'bool':
      return `${signed ? 'i32' : 'u32'}(${a})`;
    case 'f32':
      return call(c, signed ? i32OfF32 : u32OfF32, a, `${scalarInfo[to].max ?? 0n}u`);
    case 'vec2u':
      return wrappedText(to, signed ? `bitcast<i32>(${a}.x)` : `${a}.x`);
    case 'i32':
    case 'u32': {
      const word = wgslScalar(from) === wgslScalar(to) ? a : `bitcast<${wgslScalar(to)}>(${a})`;
      return holds(to, from) ? word : wrappedText(to, word);
    }
  }
}
