import type { LibraryFunction } from './library-function.ts';
import { addU64, mulWideU32, subU64 } from './wide-integers.ts';

/** Converts a 64-bit result to an address. Negative results and those above 2^53 - 1 fault. */
export const addressOfU64: LibraryFunction = {
  name: 'nts_addr_u64',
  needs: [],
  text: `
fn nts_addr_u64(a: vec2u, site: u32) -> vec2u {
  nts_fault(site, select(0u, 3u, a.y > 0x1fffffu));
  return a;
}`,
};

export const addressOfI32: LibraryFunction = {
  name: 'nts_addr_i32',
  needs: [],
  text: `
fn nts_addr_i32(a: i32, site: u32) -> vec2u {
  nts_fault(site, select(0u, 3u, a < 0i));
  return vec2u(bitcast<u32>(a), 0u);
}`,
};

export const addAddress: LibraryFunction = {
  name: 'nts_add_addr',
  needs: [addU64, addressOfU64],
  text: `
fn nts_add_addr(a: vec2u, b: vec2u, site: u32) -> vec2u {
  return nts_addr_u64(nts_add_u64(a, b), site);
}`,
};

export const subAddress: LibraryFunction = {
  name: 'nts_sub_addr',
  needs: [subU64, addressOfU64],
  text: `
fn nts_sub_addr(a: vec2u, b: vec2u, site: u32) -> vec2u {
  return nts_addr_u64(nts_sub_u64(a, b), site);
}`,
};

export const mulAddress: LibraryFunction = {
  name: 'nts_mul_addr',
  needs: [mulWideU32],
  text: `
fn nts_mul_addr(a: vec2u, b: vec2u, site: u32) -> vec2u {
  let low = nts_mul_wide_u32(a.x, b.x);
  let left = nts_mul_wide_u32(a.y, b.x);
  let right = nts_mul_wide_u32(a.x, b.y);
  // The parts are checked before they are added: their sum may wrap.
  let highest = max(low.y, max(left.x, right.x));
  let high = low.y + left.x + right.x;
  let outside = ((left.y | right.y) != 0u) | ((a.y != 0u) & (b.y != 0u)) | (max(highest, high) > 0x1fffffu);
  nts_fault(site, select(0u, 3u, outside));
  return vec2u(low.x, high);
}`,
};
