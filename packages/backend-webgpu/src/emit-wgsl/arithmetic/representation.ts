import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { unsupported } from './context.ts';

/**
 * The representation of a kind's values: `i32` sign-extended and in range, `u32` in range, `vec2u`
 * with the low word in x, `f32` with exactly a value of the kind.
 */
export type Representation = 'bool' | 'i32' | 'u32' | 'vec2u' | 'f32';

/**
 * Returns the WGSL type for values of `kind`. There is none for f64, which validation
 * rejects.
 *
 * @throws NcclError `NCCL_INTERNAL_ERROR`
 */
export function wgslScalar(kind: ScalarKind): Representation {
  if (kind === 'f64') throw unsupported('a value', kind);
  const info = scalarInfo[kind];
  switch (info.class) {
    case 'bool':
      return 'bool';
    case 'float':
      return 'f32';
    case 'int':
    case 'addr':
      return info.bits === 64 ? 'vec2u' : info.signed ? 'i32' : 'u32';
  }
}
