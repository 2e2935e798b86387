import { nanF32, packF32, unpackF32 } from './float-parts.ts';
import type { LibraryFunction } from './library-function.ts';
import { divideByNormal } from './wide-division.ts';
import { mulHighU32, mulWide, packProduct, wideFloat, wideOfF32 } from './wide-floats.ts';
import { shrU64 } from './wide-integers.ts';

const powerOfFraction: LibraryFunction = {
  name: 'nts_exp2_fraction',
  needs: [mulHighU32],
  text: `
// 2^(f / 2^32) * 2^31. The polynomial is (2^x - 1) / x on 0 to 1 to 2^-32, in units of 2^-31.
fn nts_exp2_fraction(f: u32) -> u32 {
  var p = 0xade9u;
  p = 0x4c98bu + nts_mul_high_u32(f, p);
  p = 0x2bdf8du + nts_mul_high_u32(f, p);
  p = 0x13b1a32u + nts_mul_high_u32(f, p);
  p = 0x71ac4fcu + nts_mul_high_u32(f, p);
  p = 0x1ebfbdd3u + nts_mul_high_u32(f, p);
  p = 0x58b90bfcu + nts_mul_high_u32(f, p);
  return 0x80000000u + nts_mul_high_u32(f, p);
}`,
};

/** 2 to a number, as mantissa and exponent. */
const exp2Parts: LibraryFunction = {
  name: 'nts_exp2_parts',
  needs: [wideFloat, unpackF32, shrU64, powerOfFraction],
  text: `
// 2^a. Far beyond the range of an f32 the result is some value beyond that range.
fn nts_exp2_parts(a: NtsWide) -> NtsParts {
  if (a.exponent > 8i) {
    return NtsParts(0x80000000u, select(1000i, -1000i, a.negative));
  }
  // The integer above 32 bits of fraction.
  let fixed = nts_shr_u64(a.mantissa, u32(min(31i - a.exponent, 63i)));
  if (!a.negative) {
    return NtsParts(nts_exp2_fraction(fixed.x), i32(fixed.y));
  }
  return NtsParts(nts_exp2_fraction(0u - fixed.x), -i32(fixed.y) - select(0i, 1i, fixed.x != 0u));
}`,
};

/** 2 to a number with 64 bits of mantissa, with a sign. */
export const exp2Wide: LibraryFunction = {
  name: 'nts_exp2_wide',
  needs: [exp2Parts, packF32],
  text: `
fn nts_exp2_wide(sign: u32, a: NtsWide) -> f32 {
  let power = nts_exp2_parts(a);
  return nts_pack_f32(sign, power.exponent, power.mantissa);
}`,
};

export const exp2F32: LibraryFunction = {
  name: 'nts_exp2_f32',
  needs: [exp2Wide, wideOfF32],
  text: `
fn nts_exp2_f32(x: f32) -> f32 {
  if ((bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u) {
    return x;
  }
  return nts_exp2_wide(0u, nts_wide_f32(x));
}`,
};

const timesLog2E: LibraryFunction = {
  name: 'nts_times_log2_e',
  needs: [mulWide, wideOfF32],
  text: `
fn nts_times_log2_e(x: f32) -> NtsWide {
  return nts_mul_wide(nts_wide_f32(x), NtsWide(false, 0i, vec2u(0x5c17f0bbu, 0xb8aa3b29u)));
}`,
};

export const expF32: LibraryFunction = {
  name: 'nts_exp_f32',
  needs: [exp2Wide, timesLog2E],
  text: `
fn nts_exp_f32(x: f32) -> f32 {
  if ((bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u) {
    return x;
  }
  return nts_exp2_wide(0u, nts_times_log2_e(x));
}`,
};

export const tanhF32: LibraryFunction = {
  name: 'nts_tanh_f32',
  needs: [nanF32, unpackF32, exp2Parts, timesLog2E, divideByNormal, mulHighU32, packF32, packProduct],
  text: `
// tanh(x) / x * 2^31 for x below 1/2, by a polynomial of x^2 (a fraction of 32 bits) to 2^-34.
fn nts_tanh_ratio(square: u32) -> u32 {
  var p = 0x57cf4fu;
  p = 0x11a8514u - nts_mul_high_u32(square, p);
  p = 0x2cb9f7cu - nts_mul_high_u32(square, p);
  p = 0x6e85fceu - nts_mul_high_u32(square, p);
  p = 0x111110c1u - nts_mul_high_u32(square, p);
  p = 0x2aaaaaaau - nts_mul_high_u32(square, p);
  return 0x80000000u - nts_mul_high_u32(square, p);
}

fn nts_tanh_f32(x: f32) -> f32 {
  let bits = bitcast<u32>(x) & 0x7fffffffu;
  let sign = bitcast<u32>(x) & 0x80000000u;
  // NaN; and below 2^-13 the difference to x does not count.
  if ((bits > 0x7f800000u) | (bits < 0x39000000u)) {
    return x;
  }
  if (bits < 0x3f000000u) {
    let parts = nts_unpack_f32(x);
    let fraction = parts.mantissa >> u32(-1i - parts.exponent);
    return nts_pack_product(sign, parts.exponent, parts.mantissa, nts_tanh_ratio(nts_mul_high_u32(fraction, fraction)));
  }
  // From 10 on it is 1; below, (1 - e) / (1 + e) for e = exp(-2 |x|).
  if (bits >= 0x41200000u) {
    return bitcast<f32>(sign | 0x3f800000u);
  }
  var exponent = nts_times_log2_e(x);
  exponent.negative = true;
  exponent.exponent += 1i;
  let power = nts_exp2_parts(exponent);
  let e = power.mantissa >> u32(-power.exponent);
  let quotient = nts_divide_by_normal(vec2u(0u, 0x80000000u - e), 0x80000000u + e).x;
  let zeros = countLeadingZeros(quotient);
  return nts_pack_f32(sign, -1i - i32(zeros), (quotient << zeros) | 1u);
}`,
};
