import { deviceFn, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';

/** A value to send: `width` elements of type T, a constant number. */
export interface SentValue {
  readonly T: TypeFn;
  readonly width: number;
  readonly elementAt: (i: number) => number;
}

/** The 32-bit word `w` (a constant) of a value. Bytes past the value's end are 0. */
export const wordOf: DeviceFn<(value: SentValue, w: number) => number> = deviceFn(
  { name: 'wordOf' },
  ({ sizeOf, vec, lane, bitcast, unroll, u8, u16, u32 }, { T, width, elementAt }, w) => {
    let word = u32(0);
    if (sizeOf(T) >= 4) {
      const words = sizeOf(T) / 4;
      const i = (w - (w % words)) / words;
      if (i < width) {
        word = words === 1 ? bitcast(u32, elementAt(i)) : lane(bitcast(vec(u32, words), elementAt(i)), w % words);
      }
    } else {
      const elements = 4 / sizeOf(T);
      for (const k of unroll(elements)) {
        const i = w * elements + k;
        if (i < width) word |= u32(bitcast(sizeOf(T) === 1 ? u8 : u16, elementAt(i))) << (8 * k * sizeOf(T));
      }
    }
    return word;
  },
);

/** Element `i` (a constant) of type T, of the value whose 32-bit words `wordAt` returns. */
export const elementOf: DeviceFn<(T: TypeFn, wordAt: (w: number) => number, i: number) => number> = deviceFn(
  { name: 'elementOf' },
  ({ sizeOf, vec, bitcast, u8, u16, u32 }, T, wordAt, i) => {
    const size = sizeOf(T);
    const part = size < 4 ? 8 * size * (i % (4 / size)) : 0;
    const first = size < 4 ? (i * size - part / 8) / 4 : i * (size / 4);
    return size === 1
      ? bitcast(T, u8(wordAt(first) >> part))
      : size === 2
        ? bitcast(T, u16(wordAt(first) >> part))
        : size === 4
          ? bitcast(T, wordAt(first))
          : size === 8
            ? bitcast(T, vec(u32, 2)(wordAt(first), wordAt(first + 1)))
            : bitcast(T, vec(u32, 4)(wordAt(first), wordAt(first + 1), wordAt(first + 2), wordAt(first + 3)));
  },
);
