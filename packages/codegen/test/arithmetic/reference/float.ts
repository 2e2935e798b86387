/**
 * Floating point by definition. A number is a sign, a whole mantissa and a power of two. It is
 * computed exactly with bigints and rounded once. Values are bit patterns of the formats, so that
 * code outside this file needs no special cases for -0 and subnormals.
 */
export interface FloatFormat {
  readonly name: 'f16' | 'bf16' | 'f32' | 'f64' | 'e4m3' | 'e5m2';
  readonly bits: number;
  /** The stored bits of the mantissa. */
  readonly mantissaBits: number;
  readonly bias: number;
  /** The bits, without the sign, of the largest finite value. */
  readonly largest: bigint;
  /** The result of overflow: infinity, or the largest finite value. */
  readonly overflow: bigint;
  /** Undefined if the format has none. */
  readonly infinity: bigint | undefined;
  readonly nan: bigint;
}

export type FloatName = FloatFormat['name'];

function ieee(name: FloatName, bits: number, mantissaBits: number, saturates: boolean): FloatFormat {
  const exponentBits = bits - 1 - mantissaBits;
  const infinity = ((1n << BigInt(exponentBits)) - 1n) << BigInt(mantissaBits);
  const largest = infinity - 1n;
  const bias = 2 ** (exponentBits - 1) - 1;
  const overflow = saturates ? largest : infinity;
  return {
    name,
    bits,
    mantissaBits,
    bias,
    largest,
    overflow,
    infinity,
    nan: infinity | (1n << BigInt(mantissaBits - 1)),
  };
}

export const floatFormats: Readonly<Record<FloatName, FloatFormat>> = {
  f16: ieee('f16', 16, 10, false),
  bf16: ieee('bf16', 16, 7, false),
  f32: ieee('f32', 32, 23, false),
  f64: ieee('f64', 64, 52, false),
  // OCP 8-bit floats. E4M3 uses its topmost binade for numbers; only the last pattern is NaN.
  e4m3: {
    name: 'e4m3',
    bits: 8,
    mantissaBits: 3,
    bias: 7,
    largest: 0x7en,
    overflow: 0x7en,
    infinity: undefined,
    nan: 0x7fn,
  },
  e5m2: ieee('e5m2', 8, 2, true),
};

/** (-1)^negative * mantissa * 2^exponent, or a value that is not finite. */
export type Exact =
  | { readonly kind: 'nan' }
  | { readonly kind: 'infinite'; readonly negative: boolean }
  | { readonly kind: 'finite'; readonly negative: boolean; readonly mantissa: bigint; readonly exponent: number };

type Finite = Extract<Exact, { kind: 'finite' }>;

const notANumber: Exact = { kind: 'nan' };

/** The exponent of the last bit of a subnormal. */
export function leastExponent(format: FloatFormat): number {
  return 1 - format.bias - format.mantissaBits;
}

export function decode(format: FloatFormat, bits: bigint): Exact {
  const signBit = 1n << BigInt(format.bits - 1);
  const negative = (bits & signBit) !== 0n;
  const magnitude = bits & (signBit - 1n);
  if (magnitude === format.infinity) return { kind: 'infinite', negative };
  if (magnitude > format.largest) return notANumber;
  const field = magnitude >> BigInt(format.mantissaBits);
  const hidden = 1n << BigInt(format.mantissaBits);
  const fraction = magnitude & (hidden - 1n);
  if (field === 0n) return { kind: 'finite', negative, mantissa: fraction, exponent: leastExponent(format) };
  return { kind: 'finite', negative, mantissa: hidden | fraction, exponent: leastExponent(format) + Number(field) - 1 };
}

export function isNaNBits(format: FloatFormat, bits: bigint): boolean {
  return decode(format, bits).kind === 'nan';
}

export function bitLength(value: bigint): number {
  if (value <= 0xffffffffn) return 32 - Math.clz32(Number(value));
  const hex = value.toString(16);
  return hex.length * 4 - Math.clz32(Number.parseInt(hex.charAt(0), 16)) + 28;
}

function signed(format: FloatFormat, negative: boolean, magnitude: bigint): bigint {
  return negative ? magnitude | (1n << BigInt(format.bits - 1)) : magnitude;
}

/**
 * Returns the nearest value of `format`, ties to even. With `sticky`, the number is larger than the
 * mantissa by a fraction of its last bit. The mantissa must then have at least two bits more than
 * the format.
 */
export function round(
  format: FloatFormat,
  negative: boolean,
  mantissa: bigint,
  exponent: number,
  sticky = false,
): bigint {
  if (mantissa === 0n) return signed(format, negative, 0n);
  const least = leastExponent(format);
  const last = Math.max(bitLength(mantissa) + exponent - format.mantissaBits - 1, least);
  const drop = last - exponent;
  if (drop <= 0 && sticky) throw new Error('too few bits to round from');
  let kept = drop > 0 ? mantissa >> BigInt(drop) : mantissa << BigInt(-drop);
  if (drop > 0) {
    const twice = (mantissa - (kept << BigInt(drop))) << 1n;
    const whole = 1n << BigInt(drop);
    if (twice > whole || (twice === whole && (sticky || (kept & 1n) === 1n))) kept += 1n;
  }
  // The hidden bit adds one to the exponent's field, and so does a carry out of the mantissa. Both
  // are right.
  const magnitude = (BigInt(last - least) << BigInt(format.mantissaBits)) + kept;
  return signed(format, negative, magnitude > format.largest ? format.overflow : magnitude);
}

/** An exact value in `format`. */
export function encode(format: FloatFormat, value: Exact): bigint {
  switch (value.kind) {
    case 'nan':
      return format.nan;
    case 'infinite':
      return signed(format, value.negative, format.overflow);
    case 'finite':
      return round(format, value.negative, value.mantissa, value.exponent);
  }
}

/** A double, exactly. */
export function ofNumber(value: number): Exact {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return decode(floatFormats.f64, view.getBigUint64(0));
}

/** The double nearest to an exact value. */
export function toNumber(value: Exact): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, encode(floatFormats.f64, value));
  return view.getFloat64(0);
}

export function ofInteger(value: bigint): Finite {
  return { kind: 'finite', negative: value < 0n, mantissa: value < 0n ? -value : value, exponent: 0 };
}

export function negate(value: Exact): Exact {
  return value.kind === 'nan' ? value : { ...value, negative: !value.negative };
}

function isZero(value: Exact): boolean {
  return value.kind === 'finite' && value.mantissa === 0n;
}

const signedMantissa = (value: Finite): bigint => (value.negative ? -value.mantissa : value.mantissa);

/** Both mantissas with the sign, at the smaller of the two exponents. */
function aligned(a: Finite, b: Finite): { readonly x: bigint; readonly y: bigint; readonly exponent: number } {
  const exponent = Math.min(a.exponent, b.exponent);
  return {
    x: signedMantissa(a) << BigInt(a.exponent - exponent),
    y: signedMantissa(b) << BigInt(b.exponent - exponent),
    exponent,
  };
}

/** a + b, exactly. A zero sum of nonzero operands, or of zeros of both signs, is +0. */
export function sum(a: Exact, b: Exact): Exact {
  if (a.kind === 'nan' || b.kind === 'nan') return notANumber;
  if (a.kind === 'infinite') return b.kind === 'infinite' && a.negative !== b.negative ? notANumber : a;
  if (b.kind === 'infinite') return b;
  const { x, y, exponent } = aligned(a, b);
  const total = x + y;
  const negative = total < 0n || (total === 0n && a.negative && b.negative);
  return { kind: 'finite', negative, mantissa: total < 0n ? -total : total, exponent };
}

/** a * b, exactly. */
export function product(a: Exact, b: Exact): Exact {
  if (a.kind === 'nan' || b.kind === 'nan') return notANumber;
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinite' || b.kind === 'infinite') {
    return isZero(a) || isZero(b) ? notANumber : { kind: 'infinite', negative };
  }
  return { kind: 'finite', negative, mantissa: a.mantissa * b.mantissa, exponent: a.exponent + b.exponent };
}

export function divide(format: FloatFormat, a: Exact, b: Exact): bigint {
  if (a.kind === 'nan' || b.kind === 'nan') return format.nan;
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinite') return b.kind === 'infinite' ? format.nan : encode(format, { kind: 'infinite', negative });
  if (b.kind === 'infinite') return signed(format, negative, 0n);
  if (isZero(b)) return isZero(a) ? format.nan : encode(format, { kind: 'infinite', negative });
  const shift = Math.max(0, format.mantissaBits + 4 + bitLength(b.mantissa) - bitLength(a.mantissa));
  const dividend = a.mantissa << BigInt(shift);
  const quotient = dividend / b.mantissa;
  return round(format, negative, quotient, a.exponent - b.exponent - shift, quotient * b.mantissa !== dividend);
}

/** C's `fmod`: exact, with the sign of the dividend. */
export function remainder(a: Exact, b: Exact): Exact {
  if (a.kind === 'nan' || b.kind === 'nan' || a.kind === 'infinite' || isZero(b)) return notANumber;
  if (b.kind === 'infinite') return a;
  const { x, y, exponent } = aligned(a, b);
  const rest = x % y;
  return { kind: 'finite', negative: a.negative, mantissa: rest < 0n ? -rest : rest, exponent };
}

function integerRoot(value: bigint): bigint {
  if (value === 0n) return 0n;
  let root = 1n << BigInt(Math.ceil(bitLength(value) / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

export function squareRoot(format: FloatFormat, a: Exact): bigint {
  if (a.kind === 'nan') return format.nan;
  if (isZero(a)) return encode(format, a);
  if (a.negative) return format.nan;
  if (a.kind === 'infinite') return encode(format, a);
  const wanted = 2 * (format.mantissaBits + 4);
  let shift = Math.max(0, wanted - bitLength(a.mantissa));
  if ((a.exponent - shift) % 2 !== 0) shift += 1;
  const square = a.mantissa << BigInt(shift);
  const root = integerRoot(square);
  return round(format, false, root, (a.exponent - shift) / 2, root * root !== square);
}

export type Order = 'less' | 'equal' | 'greater' | 'unordered';

export function compareFloats(a: Exact, b: Exact): Order {
  if (a.kind === 'nan' || b.kind === 'nan') return 'unordered';
  if (a.kind === 'infinite' || b.kind === 'infinite') {
    const rank = (value: Exact): number => (value.kind === 'infinite' ? (value.negative ? -1 : 1) : 0);
    return rank(a) === rank(b) ? 'equal' : rank(a) < rank(b) ? 'less' : 'greater';
  }
  const { x, y } = aligned(a, b);
  return x === y ? 'equal' : x < y ? 'less' : 'greater';
}

/** Returns the smaller one. A NaN is ignored, and -0 is less than 0. */
export function smaller(a: Exact, b: Exact): Exact {
  if (a.kind === 'nan') return b;
  if (b.kind === 'nan') return a;
  if (isZero(a) && isZero(b)) return a.negative ? a : b;
  return compareFloats(a, b) === 'greater' ? b : a;
}

/** Returns the larger one. A NaN is ignored, and 0 is greater than -0. */
export function larger(a: Exact, b: Exact): Exact {
  if (a.kind === 'nan') return b;
  if (b.kind === 'nan') return a;
  if (isZero(a) && isZero(b)) return a.negative ? b : a;
  return compareFloats(a, b) === 'less' ? b : a;
}

export type WholeMode = 'floor' | 'ceil' | 'trunc' | 'round';

/**
 * Rounds to a whole number; `round` takes ties to even. The sign is kept, even for values that
 * become zero.
 */
export function toWhole(mode: WholeMode, a: Exact): Exact {
  if (a.kind !== 'finite' || a.exponent >= 0) return a;
  const drop = BigInt(-a.exponent);
  const below = a.mantissa >> drop;
  const rest = a.mantissa - (below << drop);
  const up = ((): boolean => {
    switch (mode) {
      case 'trunc':
        return false;
      case 'floor':
        return a.negative && rest !== 0n;
      case 'ceil':
        return !a.negative && rest !== 0n;
      case 'round': {
        const twice = rest << 1n;
        const whole = 1n << drop;
        return twice > whole || (twice === whole && (below & 1n) === 1n);
      }
    }
  })();
  return { kind: 'finite', negative: a.negative, mantissa: up ? below + 1n : below, exponent: 0 };
}

/** A finite value without its fraction. */
export function wholePart(a: Finite): bigint {
  const magnitude = a.exponent >= 0 ? a.mantissa << BigInt(a.exponent) : a.mantissa >> BigInt(-a.exponent);
  return a.negative ? -magnitude : magnitude;
}
