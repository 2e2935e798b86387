import { nanF32, packF32, unpackF32 } from './float-parts.ts';
import type { LibraryFunction } from './library-function.ts';
import { mulHighU32, packProduct } from './wide-floats.ts';
import { addU64, clzU64, mulWideU32, negU64, shlU64 } from './wide-integers.ts';

/** An f32 in quarters of a turn: the nearest quarter, and the distance from it. */
const reduceAngle: LibraryFunction = {
  name: 'nts_reduce_angle',
  needs: [unpackF32, mulWideU32, addU64, negU64],
  text: `
// |x| = (quarter + fraction / 2^64) * pi / 2 up to whole turns, with the fraction up to 1/2.
struct NtsAngle {
  quarter: u32,
  negative: bool,
  fraction: vec2u,
}

// 2 / pi, after 64 zeros.
const nts_two_over_pi = array<u32, 9>(
  0u, 0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);

// x is finite, from 2^-14 on. Payne and Hanek: of 2 / pi only the 96 bits count whose product with x is neither whole
// turns nor too small.
fn nts_reduce_angle(x: f32) -> NtsAngle {
  let parts = nts_unpack_f32(x);
  let m = parts.mantissa >> 8u;
  let first = u32(parts.exponent + 39i);
  let word = first >> 5u;
  let shift = first & 31u;
  let w0 = nts_two_over_pi[word];
  let w1 = nts_two_over_pi[word + 1u];
  let w2 = nts_two_over_pi[word + 2u];
  let w3 = nts_two_over_pi[word + 3u];
  // In two steps, because a shift by 32 has no effect.
  let high = (w0 << shift) | ((w1 >> 1u) >> (31u - shift));
  let middle = (w1 << shift) | ((w2 >> 1u) >> (31u - shift));
  let low = (w2 << shift) | ((w3 >> 1u) >> (31u - shift));
  // The product modulo 2^96, two bits of which are quarters.
  let p0 = nts_mul_wide_u32(m, low);
  let p1 = nts_add_u64(nts_mul_wide_u32(m, middle), vec2u(p0.y, 0u));
  let top = p1.y + m * high;
  let fraction = vec2u((p1.x << 2u) | (p0.x >> 30u), (top << 2u) | (p1.x >> 30u));
  if ((fraction.y & 0x80000000u) != 0u) {
    return NtsAngle((top >> 30u) + 1u, true, nts_neg_u64(fraction));
  }
  return NtsAngle(top >> 30u, false, fraction);
}`,
};

const sineOfAngle: LibraryFunction = {
  name: 'nts_sine_of_angle',
  needs: [reduceAngle, mulHighU32, packF32, packProduct, clzU64, shlU64],
  text: `
// sin((quarters + angle) * pi / 2).
fn nts_sine_of_angle(angle: NtsAngle, quarters: u32) -> f32 {
  let quarter = angle.quarter + quarters;
  let square = nts_mul_high_u32(angle.fraction.y, angle.fraction.y);
  var sign = (quarter & 2u) << 30u;
  if ((quarter & 1u) != 0u) {
    // cos(f * pi / 2) by a polynomial of f^2.
    var p = 0xd0f4u;
    p = 0x1e1ec7u - nts_mul_high_u32(square, p);
    p = 0x2aba784u - nts_mul_high_u32(square, p);
    p = 0x20783e10u - nts_mul_high_u32(square, p);
    p = 0x9de9e64eu - nts_mul_high_u32(square, p);
    p = 0x80000000u - nts_mul_high_u32(square, p);
    let zeros = countLeadingZeros(p);
    return nts_pack_f32(sign, -i32(zeros), p << zeros);
  }
  if (angle.negative) {
    sign ^= 0x80000000u;
  }
  // sin(f * pi / 2) / f by a polynomial of f^2.
  var p = 0x52f21u;
  p = 0x99654fu - nts_mul_high_u32(square, p);
  p = 0xa335dd6u - nts_mul_high_u32(square, p);
  p = 0x52aef396u - nts_mul_high_u32(square, p);
  p = 0xc90fdaa2u - nts_mul_high_u32(square, p);
  let zeros = nts_clz_u64(angle.fraction).x;
  return nts_pack_product(sign, -1i - i32(zeros), nts_shl_u64(angle.fraction, zeros).y, p);
}`,
};

export const sinF32: LibraryFunction = {
  name: 'nts_sin_f32',
  needs: [sineOfAngle, nanF32],
  text: `
fn nts_sin_f32(x: f32) -> f32 {
  let bits = bitcast<u32>(x) & 0x7fffffffu;
  if (bits >= 0x7f800000u) {
    return nts_nan_f32();
  }
  // Below 2^-13 the difference to x does not count.
  if (bits < 0x39000000u) {
    return x;
  }
  let sine = bitcast<u32>(nts_sine_of_angle(nts_reduce_angle(x), 0u));
  return bitcast<f32>(sine ^ (bitcast<u32>(x) & 0x80000000u));
}`,
};

export const cosF32: LibraryFunction = {
  name: 'nts_cos_f32',
  needs: [sineOfAngle, nanF32],
  text: `
fn nts_cos_f32(x: f32) -> f32 {
  let bits = bitcast<u32>(x) & 0x7fffffffu;
  if (bits >= 0x7f800000u) {
    return nts_nan_f32();
  }
  // Below 2^-13 the difference to 1 does not count.
  if (bits < 0x39000000u) {
    return 1f;
  }
  return nts_sine_of_angle(nts_reduce_angle(x), 1u);
}`,
};
