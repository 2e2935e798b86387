import type { ScalarKind } from '@nccl-ts/core';
import { bf16, e4m3, e5m2, f16, f32, f64, i32, i64, i8, u16, u32, u64, u8 } from '@nccl-ts/kernel';
import type { ElementParam } from './kernel-shape.ts';

/** An element type of collectives, and the type in which it is reduced. */
export interface ElementRow {
  readonly T: ElementParam;
  readonly A: ElementParam;
  /** The type that is used to copy its bits. */
  readonly bits: ElementParam;
}

function row(T: ElementParam, bits: ElementParam, A: ElementParam = T): ElementRow {
  return Object.freeze({ T, A, bits });
}

/** NCCL's element types. */
export const elementRows: Readonly<Partial<Record<ScalarKind, ElementRow>>> = Object.freeze({
  i8: row(i8, u8),
  u8: row(u8, u8),
  i32: row(i32, u32),
  u32: row(u32, u32),
  i64: row(i64, u64),
  u64: row(u64, u64),
  f16: row(f16, u16, f32),
  bf16: row(bf16, u16, f32),
  f32: row(f32, u32),
  f64: row(f64, u64),
  e4m3: row(e4m3, u8, f16),
  e5m2: row(e5m2, u8, f16),
});
