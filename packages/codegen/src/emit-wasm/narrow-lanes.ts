import { scalarInfo, type ScalarKind } from '@nccl-ts/core';

import { value, type WasmValue } from './function-builder.ts';
import { roundedBf16, roundedF16, singleOfF16 } from './half-lanes.ts';
import { get, i32, lane, lines, memory, op, set, type WasmCode } from './instruction.ts';
import type { PlainOp } from './opcodes.ts';
import type { WasmScope } from './scope.ts';

/**
 * Numbers of 8 and 16 bits in 32-bit lanes. They are represented as in a single thread: rounded, or
 * in range.
 */
export type NarrowKind = 'i8' | 'u8' | 'i16' | 'u16' | 'f16' | 'bf16';

interface NarrowLanes {
  /** The instructions from the lowest bytes to the lanes, and back. */
  readonly widen: readonly PlainOp[];
  readonly narrow: readonly PlainOp[];
}

const narrowLanes: Readonly<Record<NarrowKind, NarrowLanes>> = {
  i8: {
    widen: ['i16x8.extend_low_i8x16_s', 'i32x4.extend_low_i16x8_s'],
    narrow: ['i16x8.narrow_i32x4_s', 'i8x16.narrow_i16x8_s'],
  },
  u8: {
    widen: ['i16x8.extend_low_i8x16_u', 'i32x4.extend_low_i16x8_u'],
    narrow: ['i16x8.narrow_i32x4_s', 'i8x16.narrow_i16x8_u'],
  },
  i16: { widen: ['i32x4.extend_low_i16x8_s'], narrow: ['i16x8.narrow_i32x4_s'] },
  u16: { widen: ['i32x4.extend_low_i16x8_u'], narrow: ['i16x8.narrow_i32x4_u'] },
  f16: { widen: ['i32x4.extend_low_i16x8_u'], narrow: ['i16x8.narrow_i32x4_u'] },
  bf16: { widen: ['i32x4.extend_low_i16x8_u'], narrow: ['i16x8.narrow_i32x4_u'] },
};

export function isNarrow(kind: ScalarKind): kind is NarrowKind {
  return Object.hasOwn(narrowLanes, kind);
}

/** Loads four neighbouring numbers from memory. */
export function loadNarrow(kind: NarrowKind, address: WasmCode, scope: WasmScope): WasmValue {
  const { bytes } = scalarInfo[kind];
  const loaded: WasmCode =
    bytes === 1
      ? [...address, memory('i32.load', 1), op('i32x4.splat')]
      : [...address, memory('i64.load', 2), op('i64x2.splat')];
  const lanes: WasmCode = [...loaded, ...narrowLanes[kind].widen.map(op)];
  if (kind === 'bf16') return value('v128', ...lanes, i32(16), op('i32x4.shl'));
  if (kind !== 'f16') return value('v128', ...lanes);
  const bits = hold(lanes, scope);
  return value('v128', ...singleOfF16([get(bits)]));
}

/** Returns code that stores them. */
export function storeNarrow(kind: NarrowKind, address: WasmCode, stored: WasmValue, scope: WasmScope): WasmCode {
  const bits = hold(bitsOf(kind, stored, scope), scope);
  const both: WasmCode = [get(bits), get(bits)];
  const [first, second] = narrowLanes[kind].narrow;
  const packed = hold([...both, ...(first === undefined ? [] : [op(first)])], scope);
  if (second === undefined) return [...address, get(packed), lane('i64x2.extract_lane', 0), memory('i64.store', 2)];
  return lines(
    [...address, get(packed), get(packed), op(second)],
    [lane('i32x4.extract_lane', 0), memory('i32.store', 1)],
  );
}

/**
 * Returns their representation in memory, in the lower part of each lane. A NaN becomes the one
 * that JavaScript writes.
 */
function bitsOf(kind: NarrowKind, stored: WasmValue, scope: WasmScope): WasmCode {
  if (kind !== 'f16' && kind !== 'bf16') return stored.code;
  const single = hold(stored.code, scope);
  const bits: WasmCode =
    kind === 'f16' ? roundedF16(single, scope.fn.local('v128')) : [get(single), i32(16), op('i32x4.shr_u')];
  const isNaN: WasmCode = [get(single), get(single), op('f32x4.ne')];
  return [i32(0x7fff), op('i32x4.splat'), ...bits, ...isNaN, op('v128.bitselect')];
}

/** Converts lanes of f32, or of 32-bit integers, to numbers of `kind`. */
export function narrowedInLanes(kind: NarrowKind, wide: WasmValue, scope: WasmScope): WasmValue {
  switch (kind) {
    case 'u8':
    case 'u16':
      return value('v128', ...wide.code, i32(kind === 'u8' ? 0xff : 0xffff), op('i32x4.splat'), op('v128.and'));
    case 'i8':
    case 'i16': {
      const shift = i32(kind === 'i8' ? 24 : 16);
      return value('v128', ...wide.code, shift, op('i32x4.shl'), shift, op('i32x4.shr_s'));
    }
    case 'f16':
    case 'bf16': {
      const single = hold(wide.code, scope);
      const isNaN: WasmCode = [get(single), get(single), op('f32x4.ne')];
      return value('v128', ...lines([get(single)], roundedSingles(kind, single, scope), isNaN, op('v128.bitselect')));
    }
  }
}

function roundedSingles(kind: 'f16' | 'bf16', single: number, scope: WasmScope): WasmCode {
  if (kind === 'bf16') return [...roundedBf16(single), i32(16), op('i32x4.shl')];
  return singleOfF16([get(hold(roundedF16(single, scope.fn.local('v128')), scope))]);
}

/** Returns the number of a new local with the result of `code`. */
function hold(code: WasmCode, scope: WasmScope): number {
  const local = scope.fn.local('v128');
  scope.code.push(...code, set(local));
  return local;
}
