import type { LibraryFunction } from './library-function.ts';

/** For two constants: WGSL refuses a constant shift that loses bits. */
export const shlU32: LibraryFunction = {
  name: 'nts_shl_u32',
  needs: [],
  text: `
fn nts_shl_u32(a: u32, count: u32) -> u32 {
  return a << count;
}`,
};

export const divU32: LibraryFunction = {
  name: 'nts_div_u32',
  needs: [],
  text: `
fn nts_div_u32(a: u32, b: u32, site: u32) -> u32 {
  nts_fault(site, select(0u, 1u, b == 0u));
  return a / max(b, 1u);
}`,
};

export const remU32: LibraryFunction = {
  name: 'nts_rem_u32',
  needs: [],
  text: `
fn nts_rem_u32(a: u32, b: u32, site: u32) -> u32 {
  nts_fault(site, select(0u, 1u, b == 0u));
  return a % max(b, 1u);
}`,
};

const divisionFaults: LibraryFunction = {
  name: 'nts_division_faults_i32',
  needs: [],
  text: `
// lowest: the smallest value of the type, whose quotient by -1 does not fit.
fn nts_division_faults_i32(a: i32, b: i32, lowest: i32, site: u32) -> bool {
  let overflows = (b == -1i) & (a == lowest);
  nts_fault(site, select(select(0u, 2u, overflows), 1u, b == 0i));
  return overflows | (b == 0i);
}`,
};

export const divI32: LibraryFunction = {
  name: 'nts_div_i32',
  needs: [divisionFaults],
  text: `
fn nts_div_i32(a: i32, b: i32, lowest: i32, site: u32) -> i32 {
  return a / select(b, 1i, nts_division_faults_i32(a, b, lowest, site));
}`,
};

export const remI32: LibraryFunction = {
  name: 'nts_rem_i32',
  needs: [divisionFaults],
  text: `
fn nts_rem_i32(a: i32, b: i32, lowest: i32, site: u32) -> i32 {
  return a % select(b, 1i, nts_division_faults_i32(a, b, lowest, site));
}`,
};
