import type { LibraryFunction } from './library-function.ts';

// Values of narrower floats are f32s that hold exactly such a value. These also work on bits,
// because a compiler that may reassociate breaks tricks with floating-point additions.

const roundMagnitude: LibraryFunction = {
  name: 'nts_round_magnitude',
  needs: [],
  text: `
// Bits of a finite f32 without its sign, rounded to nearest even to a type with 23 - drop bits of fraction whose smallest
// normal value has the biased f32 exponent lowest. The exponent of the result is not bounded.
fn nts_round_magnitude(bits: u32, drop: u32, lowest: u32) -> u32 {
  let exponent = bits >> 23u;
  if (exponent >= lowest) {
    return ((bits + (1u << (drop - 1u)) - 1u + ((bits >> drop) & 1u)) >> drop) << drop;
  }
  // Subnormal there: whole multiples of its smallest value.
  let shift = drop + lowest - exponent;
  if (shift > 24u) {
    return 0u;
  }
  let m = (bits & 0x7fffffu) | 0x800000u;
  let multiple = (m + (1u << (shift - 1u)) - 1u + ((m >> shift) & 1u)) >> shift;
  return bitcast<u32>(f32(multiple) * bitcast<f32>((lowest + drop - 23u) << 23u));
}`,
};

export const roundF16: LibraryFunction = {
  name: 'nts_round_f16',
  needs: [roundMagnitude],
  text: `
fn nts_round_f16(x: f32) -> f32 {
  let magnitude = bitcast<u32>(x) & 0x7fffffffu;
  if (magnitude >= 0x7f800000u) {
    return x;
  }
  let rounded = nts_round_magnitude(magnitude, 13u, 113u);
  // From 65536 on infinite.
  return bitcast<f32>((bitcast<u32>(x) & 0x80000000u) | select(rounded, 0x7f800000u, rounded >= 0x47800000u));
}`,
};

export const roundBf16: LibraryFunction = {
  name: 'nts_round_bf16',
  needs: [],
  text: `
fn nts_round_bf16(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  if ((bits & 0x7fffffffu) >= 0x7f800000u) {
    return x;
  }
  return bitcast<f32>((bits + 0x7fffu + ((bits >> 16u) & 1u)) & 0xffff0000u);
}`,
};

export const roundE4m3: LibraryFunction = {
  name: 'nts_round_e4m3',
  needs: [roundMagnitude],
  text: `
fn nts_round_e4m3(x: f32) -> f32 {
  let magnitude = bitcast<u32>(x) & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return x;
  }
  // Past 448 it is 448, infinity included.
  let rounded = nts_round_magnitude(min(magnitude, 0x43e00000u), 20u, 121u);
  return bitcast<f32>((bitcast<u32>(x) & 0x80000000u) | rounded);
}`,
};

export const roundE5m2: LibraryFunction = {
  name: 'nts_round_e5m2',
  needs: [roundMagnitude],
  text: `
fn nts_round_e5m2(x: f32) -> f32 {
  let magnitude = bitcast<u32>(x) & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return x;
  }
  // Past 57344 it is 57344, infinity included.
  let rounded = nts_round_magnitude(min(magnitude, 0x47600000u), 21u, 113u);
  return bitcast<f32>((bitcast<u32>(x) & 0x80000000u) | rounded);
}`,
};
