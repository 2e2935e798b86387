import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  decodeBf16,
  decodeE4m3,
  decodeE5m2,
  decodeF16,
  encodeBf16,
  encodeE4m3,
  encodeE5m2,
  encodeF16,
} from '../library/float-bits.ts';
import type { LibraryFunction } from '../library/library-function.ts';
import { call, unsupported, type ArithmeticContext } from './context.ts';
import { wgslScalar } from './representation.ts';
import { wrappedText } from './round-text.ts';

/**
 * Returns the bits of a value as in memory: a `u32` with its 8, 16 or 32 bits at the low end and
 * zeros above (0 or 1 for a bool), or a `vec2u` for 64-bit kinds. A NaN of a float below 32 bits
 * becomes the one that core's codecs write.
 */
export function toBitsText(kind: ScalarKind, a: string, c: ArithmeticContext): string {
  switch (wgslScalar(kind)) {
    case 'bool':
      return `u32(${a})`;
    case 'i32': {
      const { bits } = scalarInfo[kind];
      return bits === 32 ? `bitcast<u32>(${a})` : `(bitcast<u32>(${a}) & ${2 ** bits - 1}u)`;
    }
    case 'u32':
    case 'vec2u':
      return a;
    case 'f32':
      return kind === 'f32' ? `bitcast<u32>(${a})` : call(c, codec(kind).encode, a);
  }
}

/**
 * Returns the value with the given bits. Bits above the value's own are ignored. A bool is true
 * unless its bits are 0.
 */
export function fromBitsText(kind: ScalarKind, bits: string, c: ArithmeticContext): string {
  switch (wgslScalar(kind)) {
    case 'bool':
      return `((${bits} & 255u) != 0u)`;
    case 'i32':
      return wrappedText(kind, `bitcast<i32>(${bits})`);
    case 'u32':
      return wrappedText(kind, bits);
    case 'vec2u':
      return bits;
    case 'f32':
      return kind === 'f32' ? `bitcast<f32>(${bits})` : call(c, codec(kind).decode, bits);
  }
}

interface Codec {
  readonly encode: LibraryFunction;
  readonly decode: LibraryFunction;
}

function codec(kind: ScalarKind): Codec {
  switch (kind) {
    case 'f16':
      return { encode: encodeF16, decode: decodeF16 };
    case 'bf16':
      return { encode: encodeBf16, decode: decodeBf16 };
    case 'e4m3':
      return { encode: encodeE4m3, decode: decodeE4m3 };
    case 'e5m2':
      return { encode: encodeE5m2, decode: decodeE5m2 };
    default:
      throw unsupported('bits', kind);
  }
}
