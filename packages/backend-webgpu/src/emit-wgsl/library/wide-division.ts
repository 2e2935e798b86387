import type { LibraryFunction } from './library-function.ts';
import { absI64, lessU64, mulU64, negU64, shlU64, subU64 } from './wide-integers.ts';

/**
 * Divides two words by a word whose top bit is set and that is larger than the high word: the
 * quotient is in x, the remainder in y.
 */
export const divideByNormal: LibraryFunction = {
  name: 'nts_divide_by_normal',
  needs: [],
  text: `
// One digit of 16 bits of (high * 2^16 + next) / d: quotient and remainder (Knuth's algorithm D).
fn nts_divide_digit(high: u32, next: u32, d: u32) -> vec2u {
  let top = d >> 16u;
  var q = high / top;
  var rest = high % top;
  // The estimate is too big by 2 at most.
  for (var i = 0u; i < 2u; i++) {
    if ((rest < 0x10000u) & ((q > 0xffffu) | (q * (d & 0xffffu) > ((rest << 16u) | next)))) {
      q -= 1u;
      rest += top;
    }
  }
  return vec2u(q, ((high << 16u) | next) - q * d);
}

// n / d for n.y < d and the top bit of d set: quotient and remainder.
fn nts_divide_by_normal(n: vec2u, d: u32) -> vec2u {
  let first = nts_divide_digit(n.y, n.x >> 16u, d);
  let second = nts_divide_digit(first.y, n.x & 0xffffu, d);
  return vec2u((first.x << 16u) | second.x, second.y);
}`,
};

const divRemU64: LibraryFunction = {
  name: 'nts_div_rem_u64',
  needs: [divideByNormal, shlU64, subU64, mulU64, lessU64],
  text: `
// Quotient in xy and remainder in zw; b is not 0.
fn nts_div_rem_u64(a: vec2u, b: vec2u) -> vec4u {
  if ((a.y == 0u) & (b.y == 0u)) {
    return vec4u(a.x / b.x, 0u, a.x % b.x, 0u);
  }
  if (b.y == 0u) {
    let shift = countLeadingZeros(b.x);
    let n = nts_shl_u64(vec2u(a.x, a.y % b.x), shift);
    let low = nts_divide_by_normal(n, b.x << shift);
    return vec4u(low.x, a.y / b.x, low.y >> shift, 0u);
  }
  // The high digits give a quotient that is right or 1 too big (Hacker's Delight, udivdi3).
  let shift = countLeadingZeros(b.y);
  let estimate = nts_divide_by_normal(vec2u((a.x >> 1u) | (a.y << 31u), a.y >> 1u), nts_shl_u64(b, shift).y);
  var q = estimate.x >> (31u - shift);
  if (q != 0u) {
    q -= 1u;
  }
  var rest = nts_sub_u64(a, nts_mul_u64(b, vec2u(q, 0u)));
  if (!nts_less_u64(rest, b)) {
    q += 1u;
    rest = nts_sub_u64(rest, b);
  }
  return vec4u(q, 0u, rest);
}`,
};

export const divU64: LibraryFunction = {
  name: 'nts_div_u64',
  needs: [divRemU64],
  text: `
fn nts_div_u64(a: vec2u, b: vec2u, site: u32) -> vec2u {
  nts_fault(site, select(0u, 1u, all(b == vec2u(0u))));
  return nts_div_rem_u64(a, b).xy;
}`,
};

export const remU64: LibraryFunction = {
  name: 'nts_rem_u64',
  needs: [divRemU64],
  text: `
fn nts_rem_u64(a: vec2u, b: vec2u, site: u32) -> vec2u {
  nts_fault(site, select(0u, 1u, all(b == vec2u(0u))));
  return nts_div_rem_u64(a, b).zw;
}`,
};

const divisionFaults: LibraryFunction = {
  name: 'nts_division_faults_i64',
  needs: [],
  text: `
fn nts_division_faults_i64(a: vec2u, b: vec2u, site: u32) {
  let zero = all(b == vec2u(0u));
  let overflows = all(b == vec2u(0xffffffffu)) & all(a == vec2u(0u, 0x80000000u));
  nts_fault(site, select(select(0u, 2u, overflows), 1u, zero));
}`,
};

export const divI64: LibraryFunction = {
  name: 'nts_div_i64',
  needs: [divisionFaults, divRemU64, absI64, negU64],
  text: `
fn nts_div_i64(a: vec2u, b: vec2u, site: u32) -> vec2u {
  nts_division_faults_i64(a, b, site);
  let q = nts_div_rem_u64(nts_abs_i64(a), nts_abs_i64(b)).xy;
  return select(q, nts_neg_u64(q), ((a.y ^ b.y) & 0x80000000u) != 0u);
}`,
};

export const remI64: LibraryFunction = {
  name: 'nts_rem_i64',
  needs: [divisionFaults, divRemU64, absI64, negU64],
  text: `
fn nts_rem_i64(a: vec2u, b: vec2u, site: u32) -> vec2u {
  nts_division_faults_i64(a, b, site);
  let rest = nts_div_rem_u64(nts_abs_i64(a), nts_abs_i64(b)).zw;
  return select(rest, nts_neg_u64(rest), (a.y & 0x80000000u) != 0u);
}`,
};
