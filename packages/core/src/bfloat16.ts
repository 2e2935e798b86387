import { roundMagnitude, roundValue } from './impl/round-magnitude.ts';

const word: Uint32Array = /* @__PURE__ */ new Uint32Array(1);
const single: Float32Array = /* @__PURE__ */ new Float32Array(word.buffer);

const largest: number = (2 - 2 ** -7) * 2 ** 127;

/** The value of a bf16. Bits above the lower 16 are ignored. */
export function bf16ToNumber(bits: number): number {
  word[0] = bits << 16;
  return single[0] ?? 0;
}

/**
 * The bits of the bf16 nearest to `x`, ties to even, rounded once. More than half a step above the
 * largest finite value, the result is infinite. Every NaN becomes 0x7fff, as on NVIDIA GPUs.
 */
export function numberToBf16(x: number): number {
  if (x !== x) return 0x7fff;
  const bits = roundMagnitude(x, 7, 127);
  const sign = x < 0 || (x === 0 && 1 / x < 0) ? 0x8000 : 0;
  return sign | (bits > 0x7f80 ? 0x7f80 : bits);
}

/** The value of the bf16 nearest to `x`. Equals `bf16ToNumber(numberToBf16(x))`, but is faster. */
export function roundToBf16(x: number): number {
  const rounded = roundValue(x, 7, -126, 127);
  return rounded > largest ? Infinity : rounded < -largest ? -Infinity : rounded;
}
