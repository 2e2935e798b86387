import type { LibraryFunction } from './library-function.ts';

// These work on bits, because a compiler may assume that there are no NaNs, and hardware may treat
// subnormal values as zero.

const isNan: LibraryFunction = {
  name: 'nts_is_nan_f32',
  needs: [],
  text: `
fn nts_is_nan_f32(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}`,
};

const rank: LibraryFunction = {
  name: 'nts_rank_f32',
  needs: [],
  text: `
// Maps floats to integers in the same order; -0 and 0 map to one integer.
fn nts_rank_f32(x: f32) -> i32 {
  let bits = bitcast<i32>(x);
  return select(bits, 0i - (bits & 0x7fffffffi), bits < 0i);
}`,
};

export const equalF32: LibraryFunction = {
  name: 'nts_equal_f32',
  needs: [isNan, rank],
  text: `
fn nts_equal_f32(a: f32, b: f32) -> bool {
  return (nts_rank_f32(a) == nts_rank_f32(b)) & !nts_is_nan_f32(a);
}`,
};

export const lessF32: LibraryFunction = {
  name: 'nts_less_f32',
  needs: [isNan, rank],
  text: `
fn nts_less_f32(a: f32, b: f32) -> bool {
  return (nts_rank_f32(a) < nts_rank_f32(b)) & !nts_is_nan_f32(a) & !nts_is_nan_f32(b);
}`,
};

export const lessEqualF32: LibraryFunction = {
  name: 'nts_less_equal_f32',
  needs: [isNan, rank],
  text: `
fn nts_less_equal_f32(a: f32, b: f32) -> bool {
  return (nts_rank_f32(a) <= nts_rank_f32(b)) & !nts_is_nan_f32(a) & !nts_is_nan_f32(b);
}`,
};

const below: LibraryFunction = {
  name: 'nts_below_f32',
  needs: [],
  text: `
// In the order of the floats, with -0 below 0; no NaNs.
fn nts_below_f32(a: f32, b: f32) -> bool {
  let x = bitcast<i32>(a);
  let y = bitcast<i32>(b);
  return (x ^ ((x >> 31u) & 0x7fffffffi)) < (y ^ ((y >> 31u) & 0x7fffffffi));
}`,
};

export const minF32: LibraryFunction = {
  name: 'nts_min_f32',
  needs: [isNan, below],
  text: `
fn nts_min_f32(a: f32, b: f32) -> f32 {
  let second = !nts_is_nan_f32(b) & (nts_is_nan_f32(a) | nts_below_f32(b, a));
  return select(a, b, second);
}`,
};

export const maxF32: LibraryFunction = {
  name: 'nts_max_f32',
  needs: [isNan, below],
  text: `
fn nts_max_f32(a: f32, b: f32) -> f32 {
  let second = !nts_is_nan_f32(b) & (nts_is_nan_f32(a) | nts_below_f32(a, b));
  return select(a, b, second);
}`,
};
