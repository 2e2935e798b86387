import type { LibraryFunction } from './library-function.ts';

// The bits of narrow floats, converted from and to f32s that hold exactly such a value. A NaN
// becomes the only NaN that core's codecs write.

export const encodeF16: LibraryFunction = {
  name: 'nts_encode_f16',
  needs: [],
  text: `
fn nts_encode_f16(x: f32) -> u32 {
  let magnitude = bitcast<u32>(x) & 0x7fffffffu;
  let sign = (bitcast<u32>(x) >> 16u) & 0x8000u;
  if (magnitude > 0x7f800000u) {
    return 0x7fffu;
  }
  if (magnitude == 0x7f800000u) {
    return sign | 0x7c00u;
  }
  if (magnitude < 0x38800000u) {
    return sign | u32(abs(x) * 16777216f);
  }
  return sign | ((magnitude - 0x38000000u) >> 13u);
}`,
};

export const decodeF16: LibraryFunction = {
  name: 'nts_decode_f16',
  needs: [],
  text: `
fn nts_decode_f16(bits: u32) -> f32 {
  let low = bits & 0x7fffu;
  var magnitude = (low << 13u) + 0x38000000u;
  if (low >= 0x7c00u) {
    magnitude = 0x7f800000u | ((low & 0x3ffu) << 13u);
  }
  if (low < 0x400u) {
    magnitude = bitcast<u32>(f32(low) * 5.9604644775390625e-8f);
  }
  return bitcast<f32>(magnitude | ((bits & 0x8000u) << 16u));
}`,
};

export const encodeBf16: LibraryFunction = {
  name: 'nts_encode_bf16',
  needs: [],
  text: `
fn nts_encode_bf16(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  return select(bits >> 16u, 0x7fffu, (bits & 0x7fffffffu) > 0x7f800000u);
}`,
};

export const decodeBf16: LibraryFunction = {
  name: 'nts_decode_bf16',
  needs: [],
  text: `
fn nts_decode_bf16(bits: u32) -> f32 {
  return bitcast<f32>(bits << 16u);
}`,
};

export const encodeE4m3: LibraryFunction = {
  name: 'nts_encode_e4m3',
  needs: [],
  text: `
fn nts_encode_e4m3(x: f32) -> u32 {
  let magnitude = bitcast<u32>(x) & 0x7fffffffu;
  let sign = (bitcast<u32>(x) >> 24u) & 0x80u;
  if (magnitude > 0x7f800000u) {
    return 0x7fu;
  }
  if (magnitude < 0x3c800000u) {
    return sign | u32(abs(x) * 512f);
  }
  return sign | ((magnitude - 0x3c000000u) >> 20u);
}`,
};

export const decodeE4m3: LibraryFunction = {
  name: 'nts_decode_e4m3',
  needs: [],
  text: `
fn nts_decode_e4m3(bits: u32) -> f32 {
  let low = bits & 0x7fu;
  var magnitude = (low << 20u) + 0x3c000000u;
  if (low == 0x7fu) {
    magnitude = 0x7fc00000u;
  }
  if (low < 8u) {
    magnitude = bitcast<u32>(f32(low) * 0.001953125f);
  }
  return bitcast<f32>(magnitude | ((bits & 0x80u) << 24u));
}`,
};

export const encodeE5m2: LibraryFunction = {
  name: 'nts_encode_e5m2',
  needs: [],
  text: `
fn nts_encode_e5m2(x: f32) -> u32 {
  let magnitude = bitcast<u32>(x) & 0x7fffffffu;
  let sign = (bitcast<u32>(x) >> 24u) & 0x80u;
  if (magnitude > 0x7f800000u) {
    return 0x7fu;
  }
  if (magnitude == 0x7f800000u) {
    return sign | 0x7cu;
  }
  if (magnitude < 0x38800000u) {
    return sign | u32(abs(x) * 65536f);
  }
  return sign | ((magnitude - 0x38000000u) >> 21u);
}`,
};

export const decodeE5m2: LibraryFunction = {
  name: 'nts_decode_e5m2',
  needs: [],
  text: `
fn nts_decode_e5m2(bits: u32) -> f32 {
  let low = bits & 0x7fu;
  var magnitude = (low << 21u) + 0x38000000u;
  if (low >= 0x7cu) {
    magnitude = 0x7f800000u | ((low & 3u) << 21u);
  }
  if (low < 4u) {
    magnitude = bitcast<u32>(f32(low) * 0.0000152587890625f);
  }
  return bitcast<f32>(magnitude | ((bits & 0x80u) << 24u));
}`,
};
