const words: Uint32Array = /* @__PURE__ */ new Uint32Array(2);
const double: Float64Array = /* @__PURE__ */ new Float64Array(words.buffer);

/**
 * The bits, without sign, of |x| in a float format of `mantissaBits` stored bits and exponent bias
 * `bias`, rounded once to nearest even. `x` must not be NaN. Values beyond the format's range
 * return bits above its largest, which the caller clamps.
 */
export function roundMagnitude(x: number, mantissaBits: number, bias: number): number {
  double[0] = x;
  const low = words[0] ?? 0;
  const high = (words[1] ?? 0) & 0x7fffffff;
  const exponent = (high >>> 20) - 1023 + bias;
  let shift = 20 - mantissaBits;
  let significand: number;
  if (exponent > 0) {
    // The exponent is above the mantissa, so a carry out of the mantissa correctly raises it by
    // one.
    significand = (exponent << 20) | (high & 0xfffff);
  } else {
    shift += 1 - exponent;
    // Below half of the smallest subnormal.
    if (shift > 21) return 0;
    significand = (high & 0xfffff) | 0x100000;
  }
  const kept = significand >>> shift;
  const rest = significand & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return rest > half || (rest === half && (low !== 0 || (kept & 1) === 1)) ? kept + 1 : kept;
}

const smallestStep = 133;

/**
 * 1.5 * 2^52 times the distance of two neighbours, indexed by the distance's exponent +
 * `smallestStep`. Adding it to a number leaves no bits finer than that distance.
 */
const rounders: Float64Array = /* @__PURE__ */ Float64Array.from(
  { length: 2 * smallestStep },
  (_, index) => 1.5 * 2 ** (52 + index - smallestStep),
);

/**
 * Rounds `x` once, to nearest even, to a float format of `mantissaBits` stored bits. Its exponents
 * are from `minExponent` (of the subnormals) to `maxExponent`. If |x| is 2^(maxExponent + 1) or
 * more, the result is infinite. The result may also be 2^(maxExponent + 1) or a number that the
 * format lacks, so the caller clamps it.
 */
export function roundValue(x: number, mantissaBits: number, minExponent: number, maxExponent: number): number {
  double[0] = x;
  let exponent = (((words[1] ?? 0) >>> 20) & 0x7ff) - 1023;
  if (exponent > maxExponent) return x * Infinity;
  if (exponent < minExponent) exponent = minExponent;
  const magic = rounders[exponent - mantissaBits + smallestStep] ?? 0;
  const rounded = x + magic - magic;
  return rounded === 0 ? x * 0 : rounded;
}
