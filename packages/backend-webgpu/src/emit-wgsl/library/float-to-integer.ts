import type { LibraryFunction } from './library-function.ts';
import { negU64, shlU64, shrU64 } from './wide-integers.ts';

// All of these work on bits, because WGSL does not specify its conversions of NaN, infinities and
// values out of range.

const magnitudeU32: LibraryFunction = {
  name: 'nts_magnitude_u32',
  needs: [],
  text: `
// |x| truncated; the largest u32 if that does not fit; 0 for NaN.
fn nts_magnitude_u32(x: f32) -> u32 {
  let bits = bitcast<u32>(x) & 0x7fffffffu;
  let exponent = bits >> 23u;
  let m = (bits & 0x7fffffu) | 0x800000u;
  if ((exponent < 127u) | (bits > 0x7f800000u)) {
    return 0u;
  }
  if (exponent > 158u) {
    return 0xffffffffu;
  }
  return select(m >> (150u - exponent), m << (exponent - 150u), exponent > 150u);
}`,
};

export const u32OfF32: LibraryFunction = {
  name: 'nts_u32_f32',
  needs: [magnitudeU32],
  text: `
fn nts_u32_f32(x: f32, highest: u32) -> u32 {
  return select(min(nts_magnitude_u32(x), highest), 0u, (bitcast<u32>(x) & 0x80000000u) != 0u);
}`,
};

export const i32OfF32: LibraryFunction = {
  name: 'nts_i32_f32',
  needs: [magnitudeU32],
  text: `
fn nts_i32_f32(x: f32, highest: u32) -> i32 {
  let magnitude = nts_magnitude_u32(x);
  if ((bitcast<u32>(x) & 0x80000000u) != 0u) {
    return bitcast<i32>(0u - min(magnitude, highest + 1u));
  }
  return bitcast<i32>(min(magnitude, highest));
}`,
};

const magnitudeU64: LibraryFunction = {
  name: 'nts_magnitude_u64',
  needs: [shlU64, shrU64],
  text: `
// |x| truncated; the largest u64 if that does not fit; 0 for NaN.
fn nts_magnitude_u64(x: f32) -> vec2u {
  let bits = bitcast<u32>(x) & 0x7fffffffu;
  let exponent = bits >> 23u;
  let m = vec2u((bits & 0x7fffffu) | 0x800000u, 0u);
  if ((exponent < 127u) | (bits > 0x7f800000u)) {
    return vec2u(0u);
  }
  if (exponent > 190u) {
    return vec2u(0xffffffffu);
  }
  if (exponent > 150u) {
    return nts_shl_u64(m, exponent - 150u);
  }
  return nts_shr_u64(m, 150u - exponent);
}`,
};

export const u64OfF32: LibraryFunction = {
  name: 'nts_u64_f32',
  needs: [magnitudeU64],
  text: `
fn nts_u64_f32(x: f32) -> vec2u {
  return select(nts_magnitude_u64(x), vec2u(0u), (bitcast<u32>(x) & 0x80000000u) != 0u);
}`,
};

export const i64OfF32: LibraryFunction = {
  name: 'nts_i64_f32',
  needs: [magnitudeU64, negU64],
  text: `
fn nts_i64_f32(x: f32) -> vec2u {
  let magnitude = nts_magnitude_u64(x);
  let fits = magnitude.y < 0x80000000u;
  if ((bitcast<u32>(x) & 0x80000000u) != 0u) {
    return select(vec2u(0u, 0x80000000u), nts_neg_u64(magnitude), fits);
  }
  return select(vec2u(0xffffffffu, 0x7fffffffu), magnitude, fits);
}`,
};
