import type { ScalarKind } from '@nccl-ts/core';
import { roundBf16, roundE4m3, roundE5m2, roundF16 } from '../library/round-floats.ts';
import { call, type ArithmeticContext } from './context.ts';
import { wgslScalar } from './representation.ts';
import { scalarInfo } from '@nccl-ts/core';

/**
 * Rounds an f32 to nearest even to the float `kind`, which it then holds. For e4m3 and e5m2 it
 * saturates.
 */
export function roundedText(kind: ScalarKind, a: string, c: ArithmeticContext): string {
  switch (kind) {
    case 'f16':
      return call(c, roundF16, a);
    case 'bf16':
      return call(c, roundBf16, a);
    case 'e4m3':
      return call(c, roundE4m3, a);
    case 'e5m2':
      return call(c, roundE5m2, a);
    default:
      return a;
  }
}

/** Reduces an i32 or u32 modulo 2^N to the integer `kind` of up to 32 bits. */
export function wrappedText(kind: ScalarKind, a: string): string {
  const { bits } = scalarInfo[kind];
  if (bits === 32) return a;
  return wgslScalar(kind) === 'i32' ? `extractBits(${a}, 0u, ${bits}u)` : `(${a} & ${2 ** bits - 1}u)`;
}
