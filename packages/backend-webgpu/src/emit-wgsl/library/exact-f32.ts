import { nanF32, packF32, packOddF32, unpackF32 } from './float-parts.ts';
import type { LibraryFunction } from './library-function.ts';
import { divideByNormal } from './wide-division.ts';
import { addU64, clzU64, mulWideU32, negU64, shlU64, shrU64, subU64 } from './wide-integers.ts';

// These are correctly rounded with integer arithmetic, whatever the precision of the hardware's
// division, square root and fma.

export const divF32: LibraryFunction = {
  name: 'nts_div_f32',
  needs: [unpackF32, packF32, nanF32],
  text: `
fn nts_div_f32(a: f32, b: f32) -> f32 {
  let x = bitcast<u32>(a) & 0x7fffffffu;
  let y = bitcast<u32>(b) & 0x7fffffffu;
  let sign = (bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u;
  if ((max(x, y) > 0x7f800000u) | ((x == y) & ((x == 0u) | (x == 0x7f800000u)))) {
    return nts_nan_f32();
  }
  if ((x == 0x7f800000u) | (y == 0u)) {
    return bitcast<f32>(sign | 0x7f800000u);
  }
  if ((x == 0u) | (y == 0x7f800000u)) {
    return bitcast<f32>(sign);
  }
  let n = nts_unpack_f32(a);
  let d = nts_unpack_f32(b);
  let divisor = d.mantissa >> 8u;
  var rest = n.mantissa >> 8u;
  var exponent = n.exponent - d.exponent;
  if (rest < divisor) {
    rest <<= 1u;
    exponent -= 1i;
  }
  // The first bit of the quotient is 1; then 8 bits at a time, 25 in all.
  var quotient = 1u;
  rest -= divisor;
  for (var i = 0u; i < 3u; i++) {
    rest <<= 8u;
    quotient = (quotient << 8u) | (rest / divisor);
    rest %= divisor;
  }
  return nts_pack_f32(sign, exponent, (quotient << 7u) | select(0u, 1u, rest != 0u));
}`,
};

/** The remainder of a truncated division, like C's `fmod`: exact. */
export const remF32: LibraryFunction = {
  name: 'nts_rem_f32',
  needs: [unpackF32, packF32, nanF32],
  text: `
fn nts_rem_f32(a: f32, b: f32) -> f32 {
  let x = bitcast<u32>(a) & 0x7fffffffu;
  let y = bitcast<u32>(b) & 0x7fffffffu;
  let sign = bitcast<u32>(a) & 0x80000000u;
  if ((x >= 0x7f800000u) | (y > 0x7f800000u) | (y == 0u)) {
    return nts_nan_f32();
  }
  if (x < y) {
    return a;
  }
  let n = nts_unpack_f32(a);
  let d = nts_unpack_f32(b);
  let divisor = d.mantissa >> 8u;
  var rest = (n.mantissa >> 8u) % divisor;
  // At most 277 bits, 8 at a time.
  var bits = u32(n.exponent - d.exponent);
  for (var i = 0u; (i < 35u) & (bits > 0u); i++) {
    let step = min(bits, 8u);
    rest = (rest << step) % divisor;
    bits -= step;
  }
  if (rest == 0u) {
    return bitcast<f32>(sign);
  }
  let zeros = countLeadingZeros(rest);
  return nts_pack_f32(sign, d.exponent + 8i - i32(zeros), rest << zeros);
}`,
};

/** The square root of a positive f32, with 29 bits, in x. y is nonzero if there is a remainder. */
export const rootBits: LibraryFunction = {
  name: 'nts_root_bits',
  needs: [unpackF32],
  text: `
// sqrt(mantissa * 2^(exponent - 31)) is x * 2^(floor(exponent / 2) - 28), cut off, with x of 29 bits; y: if more follows.
fn nts_root_bits(value: NtsParts) -> vec2u {
  var radicand = select(value.mantissa >> 1u, value.mantissa, (value.exponent & 1i) != 0i);
  var root = 0u;
  var rest = 0u;
  // Digit by digit, as by hand: two bits of the radicand for each of the root.
  for (var i = 0u; i < 29u; i++) {
    rest = (rest << 2u) | (radicand >> 30u);
    radicand <<= 2u;
    let trial = (root << 2u) | 1u;
    root <<= 1u;
    if (rest >= trial) {
      rest -= trial;
      root |= 1u;
    }
  }
  return vec2u(root, select(0u, 1u, rest != 0u));
}`,
};

export const sqrtF32: LibraryFunction = {
  name: 'nts_sqrt_f32',
  needs: [rootBits, unpackF32, packF32, nanF32],
  text: `
fn nts_sqrt_f32(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  if (((bits & 0x7fffffffu) == 0u) | (bits == 0x7f800000u)) {
    return x;
  }
  // NaN, or negative.
  if (bits > 0x7f800000u) {
    return nts_nan_f32();
  }
  let value = nts_unpack_f32(x);
  let root = nts_root_bits(value);
  return nts_pack_f32(0u, value.exponent >> 1u, (root.x << 3u) | root.y);
}`,
};

/** `1 / sqrt(x)`, off by less than 0.54 ULP. */
export const rsqrtF32: LibraryFunction = {
  name: 'nts_rsqrt_f32',
  needs: [rootBits, unpackF32, packF32, nanF32, divideByNormal],
  text: `
fn nts_rsqrt_f32(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  if ((bits & 0x7fffffffu) == 0u) {
    return bitcast<f32>(bits | 0x7f800000u);
  }
  if (bits == 0x7f800000u) {
    return 0f;
  }
  // NaN, or negative.
  if (bits > 0x7f800000u) {
    return nts_nan_f32();
  }
  let value = nts_unpack_f32(x);
  let root = nts_root_bits(value);
  // What was cut off of the root counts as half a bit.
  let quotient = nts_divide_by_normal(vec2u(0u, 0x40000000u), (root.x << 3u) | (root.y << 2u));
  let zeros = countLeadingZeros(quotient.x);
  let mantissa = (quotient.x << zeros) | select(0u, 1u, quotient.y != 0u);
  return nts_pack_f32(0u, -(value.exponent >> 1u) - i32(zeros), mantissa);
}`,
};

const shiftJam: LibraryFunction = {
  name: 'nts_shift_jam_u64',
  needs: [shrU64, shlU64],
  text: `
// Shifted right; the last bit says if bits were lost.
fn nts_shift_jam_u64(a: vec2u, count: u32) -> vec2u {
  let shift = min(count, 63u);
  let kept = nts_shr_u64(a, shift);
  return vec2u(kept.x | select(0u, 1u, any(nts_shl_u64(kept, shift) != a)), kept.y);
}`,
};

/**
 * `a * b + c` rounded once: to nearest even, or with `odd` to odd, for a second rounding to fewer
 * digits.
 */
export const fmaF32: LibraryFunction = {
  name: 'nts_fma_f32',
  needs: [unpackF32, packF32, packOddF32, nanF32, mulWideU32, addU64, subU64, negU64, shlU64, shrU64, clzU64, shiftJam],
  text: `
// a * b + c, rounded once: to nearest even, or to odd.
fn nts_fma_f32(a: f32, b: f32, c: f32, odd: bool) -> f32 {
  let x = bitcast<u32>(a) & 0x7fffffffu;
  let y = bitcast<u32>(b) & 0x7fffffffu;
  let z = bitcast<u32>(c) & 0x7fffffffu;
  let product_sign = (bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u;
  let c_sign = bitcast<u32>(c) & 0x80000000u;
  let infinite = max(x, y) == 0x7f800000u;
  if ((max(max(x, y), z) > 0x7f800000u) | (infinite & (min(x, y) == 0u)) |
      (infinite & (z == 0x7f800000u) & (product_sign != c_sign))) {
    return nts_nan_f32();
  }
  if (infinite) {
    return bitcast<f32>(product_sign | 0x7f800000u);
  }
  if (z == 0x7f800000u) {
    return c;
  }
  if ((x == 0u) | (y == 0u)) {
    // Of zeros of different signs the sum is 0.
    return select(c, bitcast<f32>(product_sign & c_sign), z == 0u);
  }
  let left = nts_unpack_f32(a);
  let right = nts_unpack_f32(b);
  // Both summands are m * 2^(exponent - 62), with room for a carry above bit 62. The product's low bits are zeros.
  var product = nts_mul_wide_u32(left.mantissa, right.mantissa);
  var exponent = left.exponent + right.exponent;
  if ((product.y & 0x80000000u) != 0u) {
    product = nts_shr_u64(product, 1u);
    exponent += 1i;
  }
  var summand = vec2u(0u);
  if (z != 0u) {
    let parts = nts_unpack_f32(c);
    summand = vec2u(parts.mantissa << 31u, parts.mantissa >> 1u);
    let distance = exponent - parts.exponent;
    if (distance >= 0i) {
      summand = nts_shift_jam_u64(summand, u32(distance));
    }
    if (distance < 0i) {
      product = nts_shift_jam_u64(product, u32(-distance));
      exponent = parts.exponent;
    }
  }
  var sign = product_sign;
  var sum = nts_add_u64(product, summand);
  if (product_sign != c_sign) {
    sum = nts_sub_u64(product, summand);
    if ((sum.y & 0x80000000u) != 0u) {
      sum = nts_neg_u64(sum);
      sign = c_sign;
    }
    if (all(sum == vec2u(0u))) {
      return 0f;
    }
  }
  let zeros = nts_clz_u64(sum).x;
  let normal = nts_shl_u64(sum, zeros);
  let mantissa = normal.y | select(0u, 1u, normal.x != 0u);
  exponent += 1i - i32(zeros);
  if (odd) {
    return nts_pack_odd_f32(sign, exponent, mantissa);
  }
  return nts_pack_f32(sign, exponent, mantissa);
}`,
};
