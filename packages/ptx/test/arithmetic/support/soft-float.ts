/** A float format: the numbers of bits of its exponent and its fraction. */
export interface Format {
  readonly exponent: number;
  readonly fraction: number;
}

export const formats = {
  f16: { exponent: 5, fraction: 10 },
  bf16: { exponent: 8, fraction: 7 },
  f32: { exponent: 8, fraction: 23 },
  f64: { exponent: 11, fraction: 52 },
} as const satisfies Record<string, Format>;

export type Mode = 'rn' | 'rz' | 'rm' | 'rp';

/** `sign * magnitude * 2^scale`, plus a tiny amount if `isInexact`. */
export interface Exact {
  readonly isNegative: boolean;
  readonly magnitude: bigint;
  readonly scale: number;
  readonly isInexact?: boolean;
}

export type Decoded = Exact | 'nan' | { readonly infinite: true; readonly isNegative: boolean };

export function decode(bits: bigint, { exponent, fraction }: Format): Decoded {
  const isNegative = ((bits >> BigInt(exponent + fraction)) & 1n) === 1n;
  const most = (1 << exponent) - 1;
  const biased = Number((bits >> BigInt(fraction)) & BigInt(most));
  const rest = bits & ((1n << BigInt(fraction)) - 1n);
  if (biased === most) return rest === 0n ? { infinite: true, isNegative } : 'nan';
  const bias = (1 << (exponent - 1)) - 1;
  return {
    isNegative,
    magnitude: biased === 0 ? rest : rest | (1n << BigInt(fraction)),
    scale: Math.max(biased, 1) - bias - fraction,
  };
}

export function nan(format: Format): bigint {
  return (1n << BigInt(format.exponent + format.fraction)) - 1n;
}

export function infinity(format: Format, isNegative: boolean): bigint {
  const bits = ((1n << BigInt(format.exponent)) - 1n) << BigInt(format.fraction);
  return isNegative ? bits | signBit(format) : bits;
}

export function signBit({ exponent, fraction }: Format): bigint {
  return 1n << BigInt(exponent + fraction);
}

/** The bits of an exact number, rounded. */
export function encode(exact: Exact, format: Format, mode: Mode): bigint {
  const { isNegative, magnitude, scale, isInexact = false } = exact;
  const sign = isNegative ? signBit(format) : 0n;
  if (magnitude === 0n && !isInexact) return sign;
  const bias = (1 << (format.exponent - 1)) - 1;
  const least = 1 - bias - format.fraction;
  const length = magnitude === 0n ? 0 : magnitude.toString(2).length;
  const last = Math.max(scale + length - 1 - format.fraction, least);
  // Two more bits than the result has, the last of them sticky.
  const drop = last - 2 - scale;
  const kept = drop >= 0 ? magnitude >> BigInt(drop) : magnitude << BigInt(-drop);
  const isCut = isInexact || (drop > 0 && kept << BigInt(drop) !== magnitude);
  const whole = kept >> 2n;
  const rest = (kept & 3n) * 2n + (isCut ? 1n : 0n);
  const away = mode === 'rp' ? !isNegative : mode === 'rm' ? isNegative : false;
  const up = mode === 'rn' ? rest > 4n || (rest === 4n && (whole & 1n) === 1n) : away && rest !== 0n;
  const rounded = whole + (up ? 1n : 0n);
  const hidden = 1n << BigInt(format.fraction);
  if (rounded < hidden) return sign | rounded;
  const biased = BigInt(last - least + 1);
  // A carry out of the fraction runs into the exponent.
  const bits = (biased << BigInt(format.fraction)) + (rounded - hidden);
  const end = infinity(format, false);
  if (bits < end) return sign | bits;
  return sign | (mode === 'rn' || away ? end : end - 1n);
}

function isExact(value: Decoded): value is Exact {
  return value !== 'nan' && 'magnitude' in value;
}

export function product(a: Decoded, b: Decoded): Decoded {
  if (a === 'nan' || b === 'nan') return 'nan';
  const isNegative = a.isNegative !== b.isNegative;
  if (isExact(a) && isExact(b)) return { isNegative, magnitude: a.magnitude * b.magnitude, scale: a.scale + b.scale };
  const isZero = [a, b].some((e) => isExact(e) && e.magnitude === 0n);
  return isZero ? 'nan' : { infinite: true, isNegative };
}

export function sum(a: Decoded, b: Decoded, mode: Mode): Decoded {
  if (a === 'nan' || b === 'nan') return 'nan';
  if (!isExact(a)) return !isExact(b) && a.isNegative !== b.isNegative ? 'nan' : a;
  if (!isExact(b)) return b;
  const scale = Math.min(a.scale, b.scale);
  const signed = (e: Exact): bigint => (e.isNegative ? -1n : 1n) * (e.magnitude << BigInt(e.scale - scale));
  const total = signed(a) + signed(b);
  if (total === 0n) {
    const isNegative = a.isNegative === b.isNegative && a.magnitude === 0n ? a.isNegative : mode === 'rm';
    return { isNegative, magnitude: 0n, scale };
  }
  return { isNegative: total < 0n, magnitude: total < 0n ? -total : total, scale };
}

export function quotient(a: Decoded, b: Decoded): Decoded {
  if (a === 'nan' || b === 'nan') return 'nan';
  const isNegative = a.isNegative !== b.isNegative;
  if (!isExact(a)) return isExact(b) ? { infinite: true, isNegative } : 'nan';
  if (!isExact(b)) return { isNegative, magnitude: 0n, scale: 0 };
  if (b.magnitude === 0n) return a.magnitude === 0n ? 'nan' : { infinite: true, isNegative };
  const shifted = a.magnitude << 200n;
  const magnitude = shifted / b.magnitude;
  return { isNegative, magnitude, scale: a.scale - b.scale - 200, isInexact: magnitude * b.magnitude !== shifted };
}

export function squareRoot(a: Decoded): Decoded {
  if (a === 'nan') return 'nan';
  if (isExact(a) && a.magnitude === 0n) return a;
  if (a.isNegative) return 'nan';
  if (!isExact(a)) return a;
  const odd = Math.abs(a.scale % 2);
  const shifted = a.magnitude << BigInt(200 + odd);
  let root = BigInt(Math.floor(Math.sqrt(Number(shifted))));
  for (let i = 0; i < 8; i++) root = (root + shifted / root) >> 1n;
  while (root * root > shifted) root -= 1n;
  return { isNegative: false, magnitude: root, scale: (a.scale - odd) / 2 - 100, isInexact: root * root !== shifted };
}

export function rounded(value: Decoded, format: Format, mode: Mode): bigint {
  if (value === 'nan') return nan(format);
  return isExact(value) ? encode(value, format, mode) : infinity(format, value.isNegative);
}

export function isNaNOf(bits: bigint, format: Format): boolean {
  return decode(bits, format) === 'nan';
}

/** -1, 0 or 1, or `undefined` if one is a NaN. */
export function order(a: bigint, b: bigint, format: Format): number | undefined {
  if (isNaNOf(a, format) || isNaNOf(b, format)) return undefined;
  const place = (bits: bigint): bigint => {
    const size = bits & (signBit(format) - 1n);
    return bits >= signBit(format) ? -size : size;
  };
  const difference = place(a) - place(b);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** Rounds a finite float to a whole number by a mode of `cvt`. */
export function whole(value: Exact, mode: 'rni' | 'rzi' | 'rmi' | 'rpi'): bigint {
  const { isNegative, magnitude, scale } = value;
  if (scale >= 0) return (isNegative ? -magnitude : magnitude) << BigInt(scale);
  const shift = BigInt(-scale);
  const below = magnitude >> shift;
  const rest = magnitude - (below << shift);
  const half = 1n << (shift - 1n);
  const away = mode === 'rpi' ? !isNegative : mode === 'rmi' ? isNegative : false;
  const up = mode === 'rni' ? rest > half || (rest === half && (below & 1n) === 1n) : away && rest !== 0n;
  const size = below + (up ? 1n : 0n);
  return isNegative ? -size : size;
}
