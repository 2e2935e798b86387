import { get, i32, lines, op, set, type WasmCode } from './instruction.ts';

type Half = 'low' | 'high';

/** Returns `bits` in each of four lanes. */
function lanes(bits: number): WasmCode {
  return [i32(bits), op('i32x4.splat')];
}

function extended(packed: number, half: Half): WasmCode {
  return [get(packed), op(half === 'low' ? 'i32x4.extend_low_i16x8_u' : 'i32x4.extend_high_i16x8_u')];
}

/** A bf16 is the upper half of an f32. */
export function widenedBf16(packed: number, half: Half): WasmCode {
  return [...extended(packed, half), i32(16), op('i32x4.shl')];
}

/**
 * Rounds to nearest, ties to even, in the lower half of each lane. The result for a NaN is
 * undefined.
 */
export function roundedBf16(single: number): WasmCode {
  const odd = lines([get(single), i32(16), op('i32x4.shr_u')], lanes(1), op('v128.and'));
  return lines([get(single)], lanes(0x7fff), op('i32x4.add'), odd, op('i32x4.add'), i32(16), op('i32x4.shr_u'));
}

/** Does the same, but a NaN stays a NaN. */
export function narrowedBf16(single: number, scratch: number): WasmCode {
  const quiet = lines([get(single), i32(16), op('i32x4.shr_u')], lanes(0x40), op('v128.or'));
  return lines(
    [...roundedBf16(single), set(scratch)],
    [...quiet, get(scratch), get(single), get(single), op('f32x4.ne'), op('v128.bitselect')],
  );
}

const EXPONENT = 0x7f800000;
/** 2 ** 112, which scales an f16's exponent in an f32's position to its value. */
const REBIAS = 0x77800000;

/** The result is exact, even for subnormal numbers. */
export function widenedF16(packed: number, half: Half): WasmCode {
  return singleOfF16(extended(packed, half));
}

/** Converts the bits in the lower half of each lane. `bits` may be used more than once. */
export function singleOfF16(bits: WasmCode): WasmCode {
  const magnitude = lines(bits, lanes(0x7fff), op('v128.and'));
  const scaled = lines(magnitude, i32(13), op('i32x4.shl'), lanes(REBIAS), op('f32x4.mul'));
  const isSpecial = lines(magnitude, lanes(0x7bff), op('i32x4.gt_s'));
  const sign = lines(bits, lanes(0x8000), op('v128.and'), i32(16), op('i32x4.shl'));
  return lines(scaled, isSpecial, lanes(EXPONENT), op('v128.and'), op('v128.or'), sign, op('v128.or'));
}

/**
 * The smallest normal f16, the first number that is too large, and a number whose last bit has the
 * weight of a subnormal f16's.
 */
const NORMAL = 0x38800000;
const TOO_LARGE = 0x47800000;
const SUBNORMAL_UNIT = 0x3f000000;

/** Rounds to nearest, ties to even, in the lower half of each lane. A NaN becomes an infinity. */
export function roundedF16(single: number, scratch: number): WasmCode {
  return f16Bits(single, scratch, lanes(0x7c00));
}

/** Does the same, but a NaN stays a NaN. */
export function narrowedF16(single: number, scratch: number): WasmCode {
  const isNaN = lines([get(scratch)], lanes(EXPONENT), op('i32x4.gt_s'));
  return f16Bits(single, scratch, lines(lanes(0x7c00), isNaN, lanes(0x200), op('v128.and'), op('v128.or')));
}

/** `special` is the result for numbers that are too large. */
function f16Bits(single: number, scratch: number, special: WasmCode): WasmCode {
  const absolute: WasmCode = [get(scratch)];
  const odd = lines(absolute, i32(13), op('i32x4.shr_u'), lanes(1), op('v128.and'));
  // The exponent's bias drops from 127 to 15.
  const normal = lines(
    [...absolute, ...lanes(0xfff - (112 << 23)), op('i32x4.add')],
    [...odd, op('i32x4.add'), i32(13), op('i32x4.shr_u')],
  );
  const subnormal = lines(
    [...absolute, ...lanes(SUBNORMAL_UNIT), op('f32x4.add')],
    [...lanes(SUBNORMAL_UNIT), op('i32x4.sub')],
  );
  const isSubnormal = lines(absolute, lanes(NORMAL), op('i32x4.lt_s'));
  const finite = lines(subnormal, normal, isSubnormal, op('v128.bitselect'));
  const isSpecial = lines(absolute, lanes(TOO_LARGE - 1), op('i32x4.gt_s'));
  const sign = lines([get(single), i32(16), op('i32x4.shr_u')], lanes(0x8000), op('v128.and'));
  return lines(
    [get(single), ...lanes(0x7fffffff), op('v128.and'), set(scratch)],
    [...special, ...finite, ...isSpecial, op('v128.bitselect')],
    [...sign, op('v128.or')],
  );
}
