import type { LibraryFunction } from './library-function.ts';

/** An operation whose result a compiler can neither predict nor merge with neighbouring ones. */
function opaqueOperation(name: string, symbol: string): LibraryFunction {
  return {
    name,
    needs: [hiddenF32],
    text: `
fn ${name}(a: f32, b: f32) -> f32 {
  // Not the operation that hides operands: the two would cancel out, and (x + 1) - 1 would become x.
  return bitcast<f32>(bitcast<u32>(nts_hidden_f32(a) ${symbol} nts_hidden_f32(b)) | nts_zero());
}`,
  };
}

const hiddenF32: LibraryFunction = {
  name: 'nts_hidden_f32',
  needs: [],
  text: `
// x, hidden from compilers, which take 0 * x for 0 and x + 0 for x, and contract and reassociate.
fn nts_hidden_f32(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ nts_zero());
}`,
};

export const addF32: LibraryFunction = /* @__PURE__ */ opaqueOperation('nts_add_f32', '+');
export const subF32: LibraryFunction = /* @__PURE__ */ opaqueOperation('nts_sub_f32', '-');
export const mulF32: LibraryFunction = /* @__PURE__ */ opaqueOperation('nts_mul_f32', '*');

/** For a constant: compilers would treat -0 as 0. */
export const negF32: LibraryFunction = {
  name: 'nts_neg_f32',
  needs: [hiddenF32],
  text: `
fn nts_neg_f32(x: f32) -> f32 {
  return -nts_hidden_f32(x);
}`,
};

/**
 * WGSL's own function, inside a call. It is for constant operands, since WGSL rejects a constant
 * expression whose value is not finite.
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
