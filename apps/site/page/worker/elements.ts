type Read = (view: DataView, at: number) => number | bigint;

/** Readers for the elements of a window, by type. 8-bit types are shown as numbers. */
const readers: Readonly<Record<string, { readonly bytes: number; readonly read: Read }>> = {
  f32: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  f64: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  u8: { bytes: 1, read: (view, at) => view.getUint8(at) },
  u16: { bytes: 2, read: (view, at) => view.getUint16(at, true) },
  u32: { bytes: 4, read: (view, at) => view.getUint32(at, true) },
  u64: { bytes: 8, read: (view, at) => view.getBigUint64(at, true) },
  i8: { bytes: 1, read: (view, at) => view.getInt8(at) },
  i16: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  i32: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  i64: { bytes: 8, read: (view, at) => view.getBigInt64(at, true) },
  bf16: { bytes: 2, read: (view, at) => asF32(view.getUint16(at, true) << 16) },
  f16: { bytes: 2, read: (view, at) => halfOf(view.getUint16(at, true)) },
};

function asF32(bits: number): number {
  return new Float32Array(new Int32Array([bits]).buffer)[0] ?? Number.NaN;
}

function halfOf(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

export function elementBytes(type: string): number {
  return readers[type]?.bytes ?? 1;
}

export function elementsOf(type: string, bytes: Uint8Array, first: number, count: number): readonly string[] {
  const { bytes: size, read } = readers[type] ?? { bytes: 1, read: (view: DataView, at: number) => view.getUint8(at) };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: count }, (_, i) => String(read(view, (first + i) * size)));
}
