import type { LibraryFunction } from './library-function.ts';

/** A NaN, which WGSL cannot write as a constant. */
export const nanF32: LibraryFunction = {
  name: 'nts_nan_f32',
  needs: [],
  text: `
fn nts_nan_f32() -> f32 {
  return bitcast<f32>(0x7fc00000u | nts_zero());
}`,
};

/**
 * Splits a finite f32 other than zero into a mantissa of 32 bits, whose top bit is set, and an
 * exponent.
 */
export const unpackF32: LibraryFunction = {
  name: 'nts_unpack_f32',
  needs: [],
  text: `
// A magnitude: mantissa * 2^(exponent - 31), with the top bit of the mantissa set.
struct NtsParts {
  mantissa: u32,
  exponent: i32,
}

// Neither zero nor infinite nor NaN.
fn nts_unpack_f32(x: f32) -> NtsParts {
  let bits = bitcast<u32>(x) & 0x7fffffffu;
  if (bits < 0x800000u) {
    let zeros = countLeadingZeros(bits);
    return NtsParts(bits << zeros, -118i - i32(zeros));
  }
  return NtsParts((bits << 8u) | 0x80000000u, i32(bits >> 23u) - 127i);
}`,
};

const denormalise: LibraryFunction = {
  name: 'nts_denormalise',
  needs: [],
  text: `
// A mantissa whose exponent is too small for a normal f32, shifted to the smallest one. Its last bit says if bits were
// lost.
fn nts_denormalise(exponent: i32, mantissa: u32) -> u32 {
  let shift = u32(clamp(-126i - exponent, 0i, 31i));
  let kept = mantissa >> shift;
  return kept | select(0u, 1u, (kept << shift) != mantissa);
}`,
};

/**
 * The f32 nearest to `± mantissa * 2^(exponent - 31)`, ties to even. The top bit of the mantissa
 * must be set.
 */
export const packF32: LibraryFunction = {
  name: 'nts_pack_f32',
  needs: [denormalise],
  text: `
// The f32 nearest to mantissa * 2^(exponent - 31), ties to even; the top bit is set, the last one may stand for more.
fn nts_pack_f32(sign: u32, exponent: i32, mantissa: u32) -> f32 {
  if (exponent > 127i) {
    return bitcast<f32>(sign | 0x7f800000u);
  }
  let m = nts_denormalise(exponent, mantissa);
  let kept = m >> 8u;
  let up = select(0u, 1u, (m & 0xffu) + (kept & 1u) > 0x80u);
  // The top bit of kept adds 1 to the exponent; so does a carry out of the rounding, up to infinity.
  return bitcast<f32>(sign | ((u32(max(exponent + 126i, 0i)) << 23u) + kept + up));
}`,
};

/**
 * Like `packF32`, but truncated, with the last bit set if bits were lost. It serves for a second
 * rounding to fewer digits.
 */
export const packOddF32: LibraryFunction = {
  name: 'nts_pack_odd_f32',
  needs: [denormalise],
  text: `
// Truncated, with the last bit set if digits were lost, so that rounding to fewer digits rounds only once.
fn nts_pack_odd_f32(sign: u32, exponent: i32, mantissa: u32) -> f32 {
  if (exponent > 127i) {
    return bitcast<f32>(sign | 0x7f7fffffu);
  }
  let m = nts_denormalise(exponent, mantissa);
  let kept = (m >> 8u) | select(0u, 1u, (m & 0xffu) != 0u);
  return bitcast<f32>(sign | ((u32(max(exponent + 126i, 0i)) << 23u) + kept));
}`,
};
