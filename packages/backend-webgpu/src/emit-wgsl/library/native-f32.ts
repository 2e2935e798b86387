import type { LibraryFunction } from './library-function.ts';

/** An operation that a compiler can neither contract nor reassociate with those around it. */
function kept(name: string, symbol: string): LibraryFunction {
  return {
    name,
    needs: [],
    text: `
// Through the bits, so that no compiler may merge it with what comes next.
fn ${name}(a: f32, b: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(a ${symbol} b) ^ nts_zero());
}`,
  };
}

export const addF32: LibraryFunction = /* @__PURE__ */ kept('nts_add_f32', '+');
export const subF32: LibraryFunction = /* @__PURE__ */ kept('nts_sub_f32', '-');
export const mulF32: LibraryFunction = /* @__PURE__ */ kept('nts_mul_f32', '*');

/**
 * What WGSL has itself, behind a call: for constant operands, as WGSL refuses a constant expression whose value is not
 * finite.
 */
export function nativeF32(name: string, params: readonly string[], value: string): LibraryFunction {
  return {
    name: `nts_native_${name}_f32`,
    needs: [],
    text: `
fn nts_native_${name}_f32(${params.map((param) => `${param}: f32`).join(', ')}) -> f32 {
  return ${value};
}`,
  };
}
