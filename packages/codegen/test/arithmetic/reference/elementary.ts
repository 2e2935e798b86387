import { bitLength, decode, leastExponent, type Exact, type FloatFormat } from './float.ts';

/**
 * Elementary functions with far more digits than any float has, from fixed-point bigints, series,
 * and constants that are computed here. Results that C specifies exactly (for zeros, infinities,
 * NaN) are exact. All others have a relative error of less than 2^-100.
 */
export type Elementary = 'rsqrt' | 'exp' | 'exp2' | 'log' | 'log2' | 'sin' | 'cos' | 'tanh' | 'pow';

/** Fractional bits of fixed point numbers. */
const P = 280;
const one = 1n << BigInt(P);

type Finite = Extract<Exact, { kind: 'finite' }>;

const notANumber: Exact = { kind: 'nan' };
const infinite = (negative: boolean): Exact => ({ kind: 'infinite', negative });
const zero = (negative: boolean): Exact => ({ kind: 'finite', negative, mantissa: 0n, exponent: 0 });
const unit: Finite = { kind: 'finite', negative: false, mantissa: 1n, exponent: 0 };
/** Larger than every float, and smaller than every float except zero. */
const huge: Finite = { kind: 'finite', negative: false, mantissa: 1n, exponent: 5000 };
const tiny: Finite = { kind: 'finite', negative: false, mantissa: 1n, exponent: -5000 };

function fixedToExact(value: bigint, scale: number = 0): Exact {
  return { kind: 'finite', negative: value < 0n, mantissa: value < 0n ? -value : value, exponent: scale - P };
}

/** `value` in fixed point with `bits` fractional bits, rounded down. */
function toFixed({ negative, mantissa, exponent }: Finite, bits: number = P): bigint {
  const shift = exponent + bits;
  const magnitude = shift >= 0 ? mantissa << BigInt(shift) : mantissa >> BigInt(-shift);
  return negative ? -magnitude : magnitude;
}

/** The exponent of the highest bit. */
function topExponent({ mantissa, exponent }: Finite): number {
  return bitLength(mantissa) + exponent - 1;
}

/** Rounds towards zero, so that the terms of a series end at zero. */
function multiply(a: bigint, b: bigint): bigint {
  const product = a * b;
  return product < 0n ? -(-product >> BigInt(P)) : product >> BigInt(P);
}

function memo<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = make(key);
      known.set(key, value);
    }
    return value;
  };
}

/** atan(1 / n), or with `alternate` false atanh(1 / n), to `bits` fractional bits. */
function inverseTangent(n: bigint, bits: number, alternate: boolean): bigint {
  let power = (1n << BigInt(bits)) / n;
  let total = power;
  for (let k = 3n, sign = -1n; power !== 0n; k += 2n, sign = -sign) {
    power /= n * n;
    total += (alternate ? sign : 1n) * (power / k);
  }
  return total;
}

const guard = 64;

/** Machin's formula. */
const pi = memo((bits: number): bigint => {
  const more = bits + guard;
  return (16n * inverseTangent(5n, more, true) - 4n * inverseTangent(239n, more, true)) >> BigInt(guard);
});

/** ln 2 = 2 atanh(1/3). */
const ln2 = memo((bits: number): bigint => (2n * inverseTangent(3n, bits + guard, false)) >> BigInt(guard));

function roundDivide(a: bigint, b: bigint): bigint {
  const doubled = 2n * a + b;
  const quotient = doubled / (2n * b);
  return doubled < 0n && quotient * 2n * b !== doubled ? quotient - 1n : quotient;
}

/** e^r of a small fixed point number. */
function series(r: bigint): bigint {
  let term = one;
  let total = one;
  for (let n = 1n; term !== 0n && n < 200n; n++) {
    term = multiply(term, r) / n;
    total += term;
  }
  return total;
}

/** e^(x / 2^P), as an exact number. */
function exponential(x: bigint): Exact {
  const k = roundDivide(x, ln2(P));
  if (k > 4000n) return huge;
  if (k < -4000n) return tiny;
  return fixedToExact(series(x - k * ln2(P)), Number(k));
}

/** ln x in fixed point; `x` is above 0. */
function logarithm(x: Finite): bigint {
  let exponent = topExponent(x);
  let m = toFixed({ ...x, exponent: x.exponent - exponent });
  // From [1, 2) to around 1, so that the logarithm of what is close to 1 is small without a
  // subtraction.
  if (m * m > 2n * one * one) {
    m >>= 1n;
    exponent += 1;
  }
  const s = ((m - one) << BigInt(P)) / (m + one);
  const square = multiply(s, s);
  let power = s;
  let total = 0n;
  for (let k = 1n; power !== 0n; k += 2n) {
    total += power / k;
    power = multiply(power, square);
  }
  return 2n * total + BigInt(exponent) * ln2(P);
}

/** The sine and the cosine of a small fixed point number. */
function sineAndCosine(r: bigint): readonly [bigint, bigint] {
  const square = multiply(r, r);
  let [sine, cosine] = [0n, 0n];
  let term = one;
  for (let n = 0n; term !== 0n && n < 200n; n += 2n) {
    cosine += term;
    const odd = multiply(term, r) / (n + 1n);
    sine += odd;
    term = -multiply(term, square) / ((n + 1n) * (n + 2n));
  }
  return [sine, cosine];
}

function circular(name: 'sin' | 'cos', x: Finite): Exact {
  if (topExponent(x) < -110) return name === 'sin' ? x : unit;
  const bits = P + Math.max(0, topExponent(x)) + 8;
  const exact = toFixed(x, bits);
  const half = pi(bits) / 2n;
  const n = roundDivide(exact, half);
  const r = (exact - n * half) >> BigInt(bits - P);
  const [sine, cosine] = sineAndCosine(r);
  const quadrant = Number(((n % 4n) + 4n) % 4n) + (name === 'cos' ? 1 : 0);
  const value = [sine, cosine, -sine, -cosine][quadrant % 4] ?? 0n;
  return fixedToExact(value);
}

function hyperbolicTangent(x: Finite): Exact {
  if (topExponent(x) < -110) return x;
  if (topExponent(x) > 12) return { ...unit, negative: x.negative };
  const twice = exponential(2n * toFixed({ ...x, negative: false }));
  if (twice.kind !== 'finite') return notANumber;
  if (twice.exponent > 0) return { ...unit, negative: x.negative };
  const e = toFixed(twice);
  const magnitude = ((e - one) << BigInt(P)) / (e + one);
  return fixedToExact(x.negative ? -magnitude : magnitude);
}

function inverseRoot(x: Finite): Exact {
  const even = x.exponent % 2 === 0 ? x : { ...x, mantissa: x.mantissa << 1n, exponent: x.exponent - 1 };
  const target = (1n << BigInt(2 * P + 64)) / even.mantissa;
  let root = 1n << BigInt(Math.ceil(bitLength(target) / 2));
  for (;;) {
    const next = (root + target / root) >> 1n;
    if (next >= root) break;
    root = next;
  }
  return { kind: 'finite', negative: false, mantissa: root, exponent: -(P + 32) - even.exponent / 2 };
}

const isZero = (x: Exact): boolean => x.kind === 'finite' && x.mantissa === 0n;
const isWhole = (x: Finite): boolean => x.exponent >= 0 || x.mantissa % (1n << BigInt(-x.exponent)) === 0n;
const isOdd = (x: Exact): boolean =>
  x.kind === 'finite' && isWhole(x) && (x.exponent > 0 ? false : ((x.mantissa >> BigInt(-x.exponent)) & 1n) === 1n);

function compareToOne(x: Finite): number {
  const top = topExponent(x);
  if (top !== 0) return top < 0 ? -1 : 1;
  return x.mantissa === 1n << BigInt(-x.exponent) ? 0 : 1;
}

/** C's pow. */
function power(x: Exact, y: Exact): Exact {
  if (isZero(y)) return unit;
  if (x.kind === 'finite' && !x.negative && x.mantissa !== 0n && compareToOne(x) === 0) return unit;
  if (x.kind === 'nan' || y.kind === 'nan') return notANumber;
  if (isZero(x)) return y.negative ? infinite(x.negative && isOdd(y)) : zero(x.negative && isOdd(y));
  if (y.kind === 'infinite') {
    const against = x.kind === 'infinite' ? 1 : compareToOne({ ...x, negative: false });
    if (against === 0) return unit;
    return against > 0 === !y.negative ? infinite(false) : zero(false);
  }
  if (x.kind === 'infinite') {
    const negative = x.negative && isOdd(y);
    return y.negative ? zero(negative) : infinite(negative);
  }
  if (x.negative && !isWhole(y)) return notANumber;
  const negative = x.negative && isOdd(y);
  const log = logarithm({ ...x, negative: false });
  if (log === 0n) return { ...unit, negative };
  const magnitude = log < 0n ? -log : log;
  if (topExponent(y) + bitLength(magnitude) - P > 20) {
    const grows = log > 0n === !y.negative;
    return { ...(grows ? huge : tiny), negative };
  }
  const product =
    y.exponent >= 0 ? (log * y.mantissa) << BigInt(y.exponent) : (log * y.mantissa) >> BigInt(-y.exponent);
  const result = exponential(y.negative ? -product : product);
  return result.kind === 'finite' ? { ...result, negative } : result;
}

/** `name(x)`, or `name(x, y)` of pow. */
export function elementary(name: Elementary, x: Exact, y: Exact = zero(false)): Exact {
  if (name === 'pow') return power(x, y);
  if (x.kind === 'nan') return notANumber;
  switch (name) {
    case 'rsqrt':
      if (isZero(x)) return infinite(x.negative);
      if (x.negative) return notANumber;
      return x.kind === 'infinite' ? zero(false) : inverseRoot(x);
    case 'exp':
    case 'exp2': {
      if (x.kind === 'infinite') return x.negative ? zero(false) : x;
      if (isZero(x)) return unit;
      if (topExponent(x) > 12) return x.negative ? tiny : huge;
      return exponential(name === 'exp' ? toFixed(x) : multiply(toFixed(x), ln2(P)));
    }
    case 'log':
    case 'log2': {
      if (isZero(x)) return infinite(true);
      if (x.negative) return notANumber;
      if (x.kind === 'infinite') return x;
      const value = logarithm(x);
      return value === 0n ? zero(false) : fixedToExact(name === 'log' ? value : (value << BigInt(P)) / ln2(P));
    }
    case 'sin':
    case 'cos':
      if (x.kind === 'infinite') return notANumber;
      if (isZero(x)) return name === 'sin' ? x : unit;
      return circular(name, x);
    case 'tanh':
      if (x.kind === 'infinite') return { ...unit, negative: x.negative };
      return isZero(x) ? x : hyperbolicTangent(x);
  }
}

/** The error of a result in units in the last place; infinite if the result is of another kind. */
export function ulpError(format: FloatFormat, bits: bigint, expected: Exact): number {
  const actual = decode(format, bits);
  if (expected.kind !== 'finite') {
    const same =
      actual.kind === expected.kind &&
      (actual.kind === 'nan' || actual.negative === (expected.kind === 'infinite' && expected.negative));
    return same ? 0 : Infinity;
  }
  if (expected.mantissa === 0n) {
    return actual.kind === 'finite' && actual.mantissa === 0n && actual.negative === expected.negative ? 0 : Infinity;
  }
  if (actual.kind === 'nan') return Infinity;
  const largest = decode(format, format.largest);
  const limit = largest.kind === 'finite' ? topExponent(largest) + 1 : 0;
  if (topExponent(expected) >= limit)
    return actual.kind === 'infinite' && actual.negative === expected.negative ? 0 : Infinity;
  // Beyond the largest value, an infinity stands for the next value that there would be.
  const found: Finite =
    actual.kind === 'infinite' ? { kind: 'finite', negative: actual.negative, mantissa: 1n, exponent: limit } : actual;
  const ulp = Math.max(topExponent(expected) - format.mantissaBits, leastExponent(format));
  const scale = Math.min(found.exponent, expected.exponent, ulp - 40);
  const at = ({ negative, mantissa, exponent }: Finite): bigint =>
    (negative ? -mantissa : mantissa) << BigInt(exponent - scale);
  const difference = at(found) - at(expected);
  const magnitude = difference < 0n ? -difference : difference;
  return Number((magnitude << 20n) >> BigInt(ulp - scale)) / 2 ** 20;
}
