/**
 * The allowed error of an average of floats, in steps from one number of the type to the next. All
 * other results are exact.
 */
export const AVERAGE_STEPS = 2;

/**
 * The number of elements of `elementBytes` bytes that are more than `steps` from the expected
 * values. As in nccl-tests, a step is from one bit pattern to the next.
 */
export function wrongElements(got: Uint8Array, expected: Uint8Array, elementBytes: number, steps: number): number {
  if (Buffer.compare(got, expected) === 0) return 0;
  const [a, b] = [view(got), view(expected)];
  let wrong = 0;
  for (let at = 0; at < expected.byteLength; at += elementBytes) {
    const distance =
      elementBytes === 8
        ? Number(absolute(a.getBigUint64(at, true) - b.getBigUint64(at, true)))
        : Math.abs(element(a, at, elementBytes) - element(b, at, elementBytes));
    if (distance > steps) wrong++;
  }
  return wrong;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function element(bytes: DataView, at: number, size: number): number {
  return size === 4 ? bytes.getUint32(at, true) : size === 2 ? bytes.getUint16(at, true) : bytes.getUint8(at);
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
