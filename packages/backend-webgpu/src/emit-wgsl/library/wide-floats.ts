import { packF32, unpackF32 } from './float-parts.ts';
import type { LibraryFunction } from './library-function.ts';
import { addU64, mulWideU32 } from './wide-integers.ts';

// Functions within 1 ULP need more intermediate digits than an f32 has. Integers have them, on
// every driver.

/** The upper word of the product of two words: for multiplying fractions. */
export const mulHighU32: LibraryFunction = {
  name: 'nts_mul_high_u32',
  needs: [mulWideU32],
  text: `
fn nts_mul_high_u32(a: u32, b: u32) -> u32 {
  return nts_mul_wide_u32(a, b).y;
}`,
};

/** The upper 64 bits of the product of 64 bits. */
export const mulHighU64: LibraryFunction = {
  name: 'nts_mul_high_u64',
  needs: [mulWideU32, addU64],
  text: `
fn nts_mul_high_u64(a: vec2u, b: vec2u) -> vec2u {
  // Neither of the two sums can carry: (2^32 - 1)^2 + 2^32 - 1 < 2^64.
  let first = nts_add_u64(nts_mul_wide_u32(a.y, b.x), vec2u(nts_mul_wide_u32(a.x, b.x).y, 0u));
  let second = nts_add_u64(nts_mul_wide_u32(a.x, b.y), vec2u(first.x, 0u));
  let high = nts_add_u64(nts_mul_wide_u32(a.y, b.y), vec2u(first.y, 0u));
  return nts_add_u64(high, vec2u(second.y, 0u));
}`,
};

/** A number with 64 bits of mantissa. */
export const wideFloat: LibraryFunction = {
  name: 'NtsWide',
  needs: [],
  text: `
// mantissa * 2^(exponent - 63), with the top bit of the mantissa set unless the number is 0.
struct NtsWide {
  negative: bool,
  exponent: i32,
  mantissa: vec2u,
}`,
};

/** An f32 with 64 bits of mantissa; infinities become large numbers, and so do NaNs. */
export const wideOfF32: LibraryFunction = {
  name: 'nts_wide_f32',
  needs: [wideFloat, unpackF32],
  text: `
// Infinities become 2^128.
fn nts_wide_f32(x: f32) -> NtsWide {
  let parts = nts_unpack_f32(x);
  return NtsWide((bitcast<u32>(x) & 0x80000000u) != 0u, parts.exponent, vec2u(0u, parts.mantissa));
}`,
};

/**
 * The product of two numbers with 64 bits of mantissa, with a relative error of less than 2^-62.
 */
export const mulWide: LibraryFunction = {
  name: 'nts_mul_wide',
  needs: [wideFloat, mulHighU64],
  text: `
fn nts_mul_wide(a: NtsWide, b: NtsWide) -> NtsWide {
  let product = nts_mul_high_u64(a.mantissa, b.mantissa);
  let negative = a.negative != b.negative;
  let exponent = a.exponent + b.exponent;
  if ((product.y & 0x80000000u) != 0u) {
    return NtsWide(negative, exponent + 1i, product);
  }
  return NtsWide(negative, exponent, vec2u(product.x << 1u, (product.y << 1u) | (product.x >> 31u)));
}`,
};

/** The f32 nearest to a number with 64 bits of mantissa. */
export const packWide: LibraryFunction = {
  name: 'nts_pack_wide',
  needs: [wideFloat, packF32],
  text: `
fn nts_pack_wide(a: NtsWide) -> f32 {
  if (all(a.mantissa == vec2u(0u))) {
    return 0f;
  }
  let sign = select(0u, 0x80000000u, a.negative);
  return nts_pack_f32(sign, a.exponent, a.mantissa.y | select(0u, 1u, a.mantissa.x != 0u));
}`,
};

/** The f32 nearest to a product of two fractions. */
export const packProduct: LibraryFunction = {
  name: 'nts_pack_product',
  needs: [mulWideU32, packF32],
  text: `
// The f32 nearest to a * b * 2^(exponent - 62), for a and b above 2^30.
fn nts_pack_product(sign: u32, exponent: i32, a: u32, b: u32) -> f32 {
  let product = nts_mul_wide_u32(a, b);
  let zeros = countLeadingZeros(product.y);
  let mantissa = (product.y << zeros) | ((product.x >> 1u) >> (31u - zeros));
  return nts_pack_f32(sign, exponent + 1i - i32(zeros), mantissa | 1u);
}`,
};
