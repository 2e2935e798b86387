import type { PtxType } from './module.ts';

const typeBytes: Readonly<Record<PtxType, number>> = {
  pred: 1,
  b8: 1,
  b16: 2,
  b32: 4,
  b64: 8,
  b128: 16,
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  s8: 1,
  s16: 2,
  s32: 4,
  s64: 8,
  f16: 2,
  f16x2: 4,
  bf16: 2,
  bf16x2: 4,
  e4m3x2: 2,
  e5m2x2: 2,
  f32: 4,
  f64: 8,
};

export function isPtxType(word: string): word is PtxType {
  return Object.hasOwn(typeBytes, word);
}

/** The type that a word names, if any. */
export function ptxTypeOf(word: string): PtxType | undefined {
  return isPtxType(word) ? word : undefined;
}

/** The size of a value in memory, in bytes. */
export function ptxTypeBytes(type: PtxType): number {
  return typeBytes[type];
}
