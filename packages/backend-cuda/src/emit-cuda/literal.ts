import { numberToBf16, numberToE4m3, numberToE5m2, numberToF16, type ScalarKind } from '@nccl-ts/core';

/** Returns a constant as C++ writes it, with exactly its value. */
export function literal(kind: ScalarKind, value: number | bigint | boolean): string {
  switch (kind) {
    case 'bool':
      return value === true ? 'true' : 'false';
    case 'i64':
      return signed(BigInt(value), 'll');
    case 'u64':
    case 'addr':
      return `${BigInt(value)}ull`;
    case 'u32':
      return `${value}u`;
    case 'i8':
    case 'u8':
    case 'i16':
    case 'u16':
    case 'i32':
      return signed(BigInt(value), '');
    case 'f32':
      return float(Number(value), 'f', '__int_as_float(0x7fffffff)');
    case 'f64':
      return float(Number(value), '', '__longlong_as_double(0x7fffffffffffffffll)');
    case 'f16':
      return `__ushort_as_half(${hex(numberToF16(Number(value)))})`;
    case 'bf16':
      return `__ushort_as_bfloat16(${hex(numberToBf16(Number(value)))})`;
    case 'e4m3':
      return `nts::e4m3{${hex(numberToE4m3(Number(value)))}}`;
    case 'e5m2':
      return `nts::e5m2{${hex(numberToE5m2(Number(value)))}}`;
  }
}

/** C++ reads `-2147483648` as the negation of a number that does not fit. */
function signed(value: bigint, suffix: string): string {
  if (value >= 0n) return `${value}${suffix}`;
  const smallest = value === -(2n ** 31n) || value === -(2n ** 63n);
  return smallest ? `(${value + 1n}${suffix} - 1)` : `(${value}${suffix})`;
}

function float(value: number, suffix: string, nan: string): string {
  if (Number.isNaN(value)) return nan;
  if (!Number.isFinite(value)) return `(${value < 0 ? '-' : ''}1.0${suffix} / 0.0${suffix})`;
  // The shortest text that converts back to the double. For an f32, that double is its value.
  const text = String(Math.abs(value));
  const digits = /[.e]/.test(text) ? text : `${text}.0`;
  const negative = value < 0 || Object.is(value, -0);
  return negative ? `(-${digits}${suffix})` : `${digits}${suffix}`;
}

function hex(bits: number): string {
  return `0x${bits.toString(16)}`;
}
