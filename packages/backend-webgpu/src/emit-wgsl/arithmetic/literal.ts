import { NcclError, showValue, type ScalarKind } from '@nccl-ts/core';
import { wgslScalar } from './representation.ts';

/** Returns a constant as WGSL writes it, with exactly its value. Requires `nts_zero`. */
export function literalText(kind: ScalarKind, value: number | bigint | boolean): string {
  switch (wgslScalar(kind)) {
    case 'bool':
      return value === true ? 'true' : 'false';
    case 'i32':
      return signed(Number(value));
    case 'u32':
      return `${Number(value)}u`;
    case 'vec2u':
      return words(BigInt.asUintN(64, BigInt(value)));
    case 'f32':
      return float(kind, Number(value));
  }
}

/** WGSL reads `-2147483648i` as the negation of a number that does not fit. */
function signed(value: number): string {
  if (value >= 0) return `${value}i`;
  return value === -(2 ** 31) ? 'i32(-2147483648)' : `(${value}i)`;
}

function words(value: bigint): string {
  return `vec2u(${value & 0xffff_ffffn}u, ${value >> 32n}u)`;
}

function float(kind: ScalarKind, value: number): string {
  // A constant expression must not be infinite or NaN, but one that depends on memory may be.
  if (Number.isNaN(value)) return 'bitcast<f32>(0x7fc00000u | nts_zero())';
  if (!Number.isFinite(value)) return `bitcast<f32>(0x${value < 0 ? 'ff' : '7f'}800000u | nts_zero())`;
  if (Math.fround(value) !== value) {
    throw new NcclError(
      'NCCL_INTERNAL_ERROR',
      `Cannot write ${showValue(value)} as ${kind}: it is not a value of that type.`,
    );
  }
  // Compilers mistake the constant -0 for 0.
  if (Object.is(value, -0)) return 'bitcast<f32>(0x80000000u | nts_zero())';
  const magnitude = Math.abs(value);
  const negative = value < 0;
  if (magnitude > 0 && magnitude < 2 ** -126) return subnormal(magnitude, negative);
  // The shortest text that converts back to the double, which is the value.
  return negative ? `(-${magnitude}f)` : `${magnitude}f`;
}

/** Written as bits, because some compilers do not keep the decimals of a subnormal number. */
function subnormal(magnitude: number, negative: boolean): string {
  const bits = magnitude * 2 ** 149 + (negative ? 2 ** 31 : 0);
  return `bitcast<f32>(0x${bits.toString(16)}u)`;
}

const constantNames: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'true',
  'false',
  'i32',
  'u32',
  'f32',
  'vec2u',
  'bitcast',
]);

/**
 * True if `text` consists only of literals, so that WGSL evaluates it at compile time, when
 * overflow is an error. Calls of library functions are never evaluated that early.
 */
export function isConstantText(text: string): boolean {
  // Matches names, but neither the suffix or exponent of a number nor a component.
  for (const [name] of text.matchAll(/(?<![\w.])[A-Za-z_]\w*/g)) {
    if (!constantNames.has(name)) return false;
  }
  return true;
}
