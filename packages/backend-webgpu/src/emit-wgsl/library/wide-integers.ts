import type { LibraryFunction } from './library-function.ts';

// 64-bit integers are vec2u: x has the low word, y the high one.

export const addU64: LibraryFunction = {
  name: 'nts_add_u64',
  needs: [],
  text: `
fn nts_add_u64(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}`,
};

export const subU64: LibraryFunction = {
  name: 'nts_sub_u64',
  needs: [],
  text: `
fn nts_sub_u64(a: vec2u, b: vec2u) -> vec2u {
  return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}`,
};

export const negU64: LibraryFunction = {
  name: 'nts_neg_u64',
  needs: [],
  text: `
fn nts_neg_u64(a: vec2u) -> vec2u {
  return vec2u(0u - a.x, ~a.y + select(0u, 1u, a.x == 0u));
}`,
};

/** All 64 bits of the product of two words. */
export const mulWideU32: LibraryFunction = {
  name: 'nts_mul_wide_u32',
  needs: [],
  text: `
// All 64 bits of a product, from products of 16 bits that fit 32.
fn nts_mul_wide_u32(a: u32, b: u32) -> vec2u {
  let a0 = a & 0xffffu;
  let a1 = a >> 16u;
  let b0 = b & 0xffffu;
  let b1 = b >> 16u;
  let middle = a1 * b0 + ((a0 * b0) >> 16u);
  let other = a0 * b1 + (middle & 0xffffu);
  return vec2u(a * b, a1 * b1 + (middle >> 16u) + (other >> 16u));
}`,
};

export const mulU64: LibraryFunction = {
  name: 'nts_mul_u64',
  needs: [mulWideU32],
  text: `
fn nts_mul_u64(a: vec2u, b: vec2u) -> vec2u {
  let low = nts_mul_wide_u32(a.x, b.x);
  return vec2u(low.x, low.y + a.x * b.y + a.y * b.x);
}`,
};

export const shlU64: LibraryFunction = {
  name: 'nts_shl_u64',
  needs: [],
  text: `
fn nts_shl_u64(a: vec2u, count: u32) -> vec2u {
  let n = count & 31u;
  if ((count & 32u) != 0u) {
    return vec2u(0u, a.x << n);
  }
  // In two steps, because a shift by 32 has no effect.
  return vec2u(a.x << n, (a.y << n) | ((a.x >> 1u) >> (31u - n)));
}`,
};

export const shrU64: LibraryFunction = {
  name: 'nts_shr_u64',
  needs: [],
  text: `
fn nts_shr_u64(a: vec2u, count: u32) -> vec2u {
  let n = count & 31u;
  if ((count & 32u) != 0u) {
    return vec2u(a.y >> n, 0u);
  }
  return vec2u((a.x >> n) | ((a.y << 1u) << (31u - n)), a.y >> n);
}`,
};

export const shrI64: LibraryFunction = {
  name: 'nts_shr_i64',
  needs: [],
  text: `
fn nts_shr_i64(a: vec2u, count: u32) -> vec2u {
  let n = count & 31u;
  let high = bitcast<i32>(a.y);
  if ((count & 32u) != 0u) {
    return vec2u(bitcast<u32>(high >> n), bitcast<u32>(high >> 31u));
  }
  return vec2u((a.x >> n) | ((a.y << 1u) << (31u - n)), bitcast<u32>(high >> n));
}`,
};

export const lessU64: LibraryFunction = {
  name: 'nts_less_u64',
  needs: [],
  text: `
fn nts_less_u64(a: vec2u, b: vec2u) -> bool {
  return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}`,
};

export const lessI64: LibraryFunction = {
  name: 'nts_less_i64',
  needs: [],
  text: `
fn nts_less_i64(a: vec2u, b: vec2u) -> bool {
  return (bitcast<i32>(a.y) < bitcast<i32>(b.y)) | ((a.y == b.y) & (a.x < b.x));
}`,
};

export const minU64: LibraryFunction = {
  name: 'nts_min_u64',
  needs: [lessU64],
  text: `
fn nts_min_u64(a: vec2u, b: vec2u) -> vec2u {
  return select(a, b, nts_less_u64(b, a));
}`,
};

export const maxU64: LibraryFunction = {
  name: 'nts_max_u64',
  needs: [lessU64],
  text: `
fn nts_max_u64(a: vec2u, b: vec2u) -> vec2u {
  return select(a, b, nts_less_u64(a, b));
}`,
};

export const minI64: LibraryFunction = {
  name: 'nts_min_i64',
  needs: [lessI64],
  text: `
fn nts_min_i64(a: vec2u, b: vec2u) -> vec2u {
  return select(a, b, nts_less_i64(b, a));
}`,
};

export const maxI64: LibraryFunction = {
  name: 'nts_max_i64',
  needs: [lessI64],
  text: `
fn nts_max_i64(a: vec2u, b: vec2u) -> vec2u {
  return select(a, b, nts_less_i64(a, b));
}`,
};

export const absI64: LibraryFunction = {
  name: 'nts_abs_i64',
  needs: [negU64],
  text: `
fn nts_abs_i64(a: vec2u) -> vec2u {
  return select(a, nts_neg_u64(a), (a.y & 0x80000000u) != 0u);
}`,
};

export const popcountU64: LibraryFunction = {
  name: 'nts_popcount_u64',
  needs: [],
  text: `
fn nts_popcount_u64(a: vec2u) -> vec2u {
  return vec2u(countOneBits(a.x) + countOneBits(a.y), 0u);
}`,
};

export const clzU64: LibraryFunction = {
  name: 'nts_clz_u64',
  needs: [],
  text: `
fn nts_clz_u64(a: vec2u) -> vec2u {
  return vec2u(select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u), 0u);
}`,
};

export const ctzU64: LibraryFunction = {
  name: 'nts_ctz_u64',
  needs: [],
  text: `
fn nts_ctz_u64(a: vec2u) -> vec2u {
  return vec2u(select(countTrailingZeros(a.x), 32u + countTrailingZeros(a.y), a.x == 0u), 0u);
}`,
};

/** An i32 as an i64. */
export const i64OfI32: LibraryFunction = {
  name: 'nts_i64_i32',
  needs: [],
  text: `
fn nts_i64_i32(a: i32) -> vec2u {
  return vec2u(bitcast<u32>(a), bitcast<u32>(a >> 31u));
}`,
};
