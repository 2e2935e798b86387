import type { LibraryFunction } from './library-function.ts';
import { absI64, clzU64, shlU64 } from './wide-integers.ts';

/** A u64 as an f32, to nearest even. */
export const floatOfU64: LibraryFunction = {
  name: 'nts_float_u64',
  needs: [clzU64, shlU64],
  text: `
fn nts_float_u64(a: vec2u) -> f32 {
  if (all(a == vec2u(0u))) {
    return 0f;
  }
  let zeros = nts_clz_u64(a).x;
  let m = nts_shl_u64(a, zeros);
  let kept = m.y >> 8u;
  let half = (m.y & 0x80u) != 0u;
  let above = ((m.y & 0x7fu) | m.x | (kept & 1u)) != 0u;
  // The top bit of kept adds 1 to the exponent; so does a carry out of the rounding.
  return bitcast<f32>(((189u - zeros) << 23u) + kept + select(0u, 1u, half & above));
}`,
};

/** A u64 as an f32, rounded to odd. Rounding that to fewer digits equals rounding the u64. */
export const oddFloatOfU64: LibraryFunction = {
  name: 'nts_odd_float_u64',
  needs: [clzU64, shlU64],
  text: `
// Truncated, with the last bit set if digits were lost, so that rounding to fewer digits rounds only once.
fn nts_odd_float_u64(a: vec2u) -> f32 {
  if (all(a == vec2u(0u))) {
    return 0f;
  }
  let zeros = nts_clz_u64(a).x;
  let m = nts_shl_u64(a, zeros);
  let kept = (m.y >> 8u) | select(0u, 1u, ((m.y & 0xffu) | m.x) != 0u);
  return bitcast<f32>(((189u - zeros) << 23u) + kept);
}`,
};

export const floatOfI64: LibraryFunction = {
  name: 'nts_float_i64',
  needs: [floatOfU64, absI64],
  text: `
fn nts_float_i64(a: vec2u) -> f32 {
  let magnitude = nts_float_u64(nts_abs_i64(a));
  return select(magnitude, -magnitude, (a.y & 0x80000000u) != 0u);
}`,
};

export const oddFloatOfI64: LibraryFunction = {
  name: 'nts_odd_float_i64',
  needs: [oddFloatOfU64, absI64],
  text: `
fn nts_odd_float_i64(a: vec2u) -> f32 {
  let magnitude = nts_odd_float_u64(nts_abs_i64(a));
  return select(magnitude, -magnitude, (a.y & 0x80000000u) != 0u);
}`,
};
