import { exp2Wide } from './exponentials.ts';
import { nanF32, unpackF32 } from './float-parts.ts';
import type { LibraryFunction } from './library-function.ts';
import { divideByNormal } from './wide-division.ts';
import { mulHighU32, mulHighU64, mulWide, packWide, wideFloat, wideOfF32 } from './wide-floats.ts';
import { addU64, clzU64, mulWideU32, shlU64, shrU64, subU64 } from './wide-integers.ts';

/** The binary logarithm of a positive finite f32, with a relative error of at most 2^-38. */
const log2Wide: LibraryFunction = {
  name: 'nts_log2_wide',
  needs: /* @__PURE__ */ [
    [wideFloat, unpackF32, divideByNormal, mulHighU32, mulHighU64, mulWideU32],
    [addU64, subU64, shlU64, shrU64, clzU64],
  ].flat(),
  text: `
// log2((1 + s) / (1 - s)) / s in units of 2^-62, for s (a fraction of 64 bits) up to 0.172.
fn nts_log2_ratio(s: vec2u) -> vec2u {
  let square = nts_mul_high_u64(s, s);
  var p = 0x4783352eu;
  p = 0x51f59f4bu + nts_mul_high_u32(square.y, p);
  p = 0x69862796u + nts_mul_high_u32(square.y, p);
  p = 0x93bb623du + nts_mul_high_u32(square.y, p);
  p = 0xf6384ee2u + nts_mul_high_u32(square.y, p);
  // The last step with all bits: 2 / ln 2 + square * p.
  let rest = nts_add_u64(nts_mul_wide_u32(square.y, p), vec2u(nts_mul_high_u32(square.x, p), 0u));
  return nts_add_u64(vec2u(0x5c17f0bbu, 0xb8aa3b29u), nts_shr_u64(rest, 2u));
}

// log2(x) of a positive finite x.
fn nts_log2_wide(x: f32) -> NtsWide {
  let parts = nts_unpack_f32(x);
  // x = m * 2^exponent with m from sqrt(1/2) to sqrt(2); s = (m - 1) / (m + 1), of which log2(m) is an odd function.
  let m = parts.mantissa >> 8u;
  let above = parts.mantissa > 0xb504f333u;
  let one = select(0x800000u, 0x1000000u, above);
  let exponent = parts.exponent + select(0i, 1i, above);
  var result = NtsWide(above, 0i, vec2u(0u));
  if (m != one) {
    let n = select(m - one, one - m, above);
    let n_zeros = countLeadingZeros(n);
    let d_zeros = countLeadingZeros(m + one);
    let d = (m + one) << d_zeros;
    // Halved where the quotient would be 1 or more.
    let halved = select(0u, 1u, (n << n_zeros) >= d);
    let first = nts_divide_by_normal(vec2u(0u, (n << n_zeros) >> halved), d);
    let second = nts_divide_by_normal(vec2u(0u, first.y), d);
    // s = quotient * 2^(scale - 64), with its top bit set.
    let quotient = vec2u(second.x, first.x);
    let scale = i32(d_zeros) - i32(n_zeros) + i32(halved);
    let product = nts_mul_high_u64(quotient, nts_log2_ratio(nts_shr_u64(quotient, u32(-scale))));
    let zeros = nts_clz_u64(product).x;
    result.mantissa = nts_shl_u64(product, zeros);
    result.exponent = scale + 1i - i32(zeros);
  }
  if (exponent == 0i) {
    return result;
  }
  // Added in units of 2^-56. The logarithm of m is 1/2 at most, so the sum has the sign of the exponent.
  let whole = vec2u(0u, u32(abs(exponent)) << 24u);
  let fraction = nts_shr_u64(result.mantissa, u32(clamp(7i - result.exponent, 0i, 63i)));
  var sum = nts_add_u64(whole, fraction);
  if (result.negative != (exponent < 0i)) {
    sum = nts_sub_u64(whole, fraction);
  }
  let zeros = nts_clz_u64(sum).x;
  return NtsWide(exponent < 0i, 7i - i32(zeros), nts_shl_u64(sum, zeros));
}`,
};

const logarithm = (name: string, value: string): string => `
fn ${name}(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  if ((bits & 0x7fffffffu) == 0u) {
    return bitcast<f32>(0xff800000u | nts_zero());
  }
  if (bits == 0x7f800000u) {
    return x;
  }
  // NaN, or negative.
  if (bits > 0x7f800000u) {
    return nts_nan_f32();
  }
  return nts_pack_wide(${value});
}`;

export const log2F32: LibraryFunction = {
  name: 'nts_log2_f32',
  needs: [log2Wide, packWide, nanF32],
  text: /* @__PURE__ */ logarithm('nts_log2_f32', 'nts_log2_wide(x)'),
};

/** The logarithm of 2, times the binary one. */
export const logF32: LibraryFunction = {
  name: 'nts_log_f32',
  needs: [log2Wide, mulWide, packWide, nanF32],
  text: /* @__PURE__ */ logarithm(
    'nts_log_f32',
    'nts_mul_wide(nts_log2_wide(x), NtsWide(false, -1i, vec2u(0xd1cf79abu, 0xb17217f7u)))',
  ),
};

export const powF32: LibraryFunction = {
  name: 'nts_pow_f32',
  needs: [log2Wide, exp2Wide, mulWide, wideOfF32, unpackF32, nanF32],
  text: `
// 0 if x is not an integer, 1 if it is odd, 2 if it is even, as infinities are. x is neither 0 nor NaN.
fn nts_parity_f32(x: f32) -> u32 {
  let parts = nts_unpack_f32(x);
  if (parts.exponent < 0i) {
    return 0u;
  }
  if (parts.exponent > 23i) {
    return 2u;
  }
  // The integer's last bit at the top, its fraction below.
  let bits = parts.mantissa << u32(parts.exponent);
  if ((bits & 0x7fffffffu) != 0u) {
    return 0u;
  }
  return select(2u, 1u, bits != 0u);
}

// C's pow.
fn nts_pow_f32(x: f32, y: f32) -> f32 {
  let base = bitcast<u32>(x) & 0x7fffffffu;
  let power = bitcast<u32>(y) & 0x7fffffffu;
  let negative = (bitcast<u32>(x) & 0x80000000u) != 0u;
  if ((power == 0u) | (bitcast<u32>(x) == 0x3f800000u)) {
    return 1f;
  }
  if ((base > 0x7f800000u) | (power > 0x7f800000u)) {
    return nts_nan_f32();
  }
  let parity = nts_parity_f32(y);
  if (negative & (parity == 0u) & (base != 0u) & (base != 0x7f800000u)) {
    return nts_nan_f32();
  }
  let sign = select(0u, 0x80000000u, negative & (parity == 1u));
  if (base == 0x3f800000u) {
    return bitcast<f32>(sign | 0x3f800000u);
  }
  // Zero and infinity count as 2 to a power that goes out of range with any exponent.
  var log = NtsWide(base == 0u, 200i, vec2u(0u, 0x80000000u));
  if ((base != 0u) & (base != 0x7f800000u)) {
    log = nts_log2_wide(bitcast<f32>(base));
  }
  return nts_exp2_wide(sign, nts_mul_wide(log, nts_wide_f32(y)));
}`,
};
