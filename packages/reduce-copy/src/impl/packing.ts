import { deviceFn, deviceModule, type AuthorOf, type DeviceFn, type DeviceModule, type TypeFn } from '@nccl-ts/kernel';

/** The number of elements in 16 bytes, the widest access. */
const packWidth: DeviceFn<(type: TypeFn) => number> = deviceFn(
  { name: 'packWidth' },
  ({ sizeOf }, T) => 16 / sizeOf(T),
);

/**
 * The number of 16-byte accesses that a thread has in flight. If `unroll` is given, enough for
 * `unroll` elements. A constant.
 */
const packsOf: DeviceFn<(type: TypeFn, unroll?: number) => number> = deviceFn(
  { name: 'packsOf', use: { packWidth } },
  ({ packWidth }, T, unroll) => (unroll === undefined ? 1 : unroll < packWidth(T) ? 1 : unroll / packWidth(T)),
);

/** The number of elements in the smallest multicast access, which has 4 bytes or one element. */
const wordWidth: DeviceFn<(type: TypeFn) => number> = deviceFn({ name: 'wordWidth' }, ({ sizeOf }, T) =>
  sizeOf(T) < 4 ? 4 / sizeOf(T) : 1,
);

/** The accumulating type of a type. It is wider for floats that would lose too much precision. */
const accumulator: DeviceFn<(type: TypeFn) => TypeFn> = deviceFn(
  { name: 'accumulator' },
  ({ f16, bf16, e4m3, e5m2, f32 }, T) => (T === f16 || T === bf16 ? f32 : T === e4m3 || T === e5m2 ? f16 : T),
);

/**
 * A type of the same size whose loads and stores keep every bit, including the payload of a NaN.
 */
const bitsOf: DeviceFn<(type: TypeFn) => TypeFn> = deviceFn({ name: 'bitsOf' }, ({ sizeOf, vec, u32, u16, u8 }, T) =>
  sizeOf(T) === 8 ? vec(u32, 2) : sizeOf(T) === 4 ? u32 : sizeOf(T) === 2 ? u16 : u8,
);

/** A vector of `n` elements. `of` returns the value for each index. */
const byLane: DeviceFn<(type: TypeFn, n: number, of: (lane: number) => number) => number> = deviceFn(
  { name: 'byLane' },
  (_context, V, n, of) =>
    n === 2
      ? V(of(0), of(1))
      : n === 4
        ? V(of(0), of(1), of(2), of(3))
        : n === 8
          ? V(of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7))
          : V(
              of(0),
              of(1),
              of(2),
              of(3),
              of(4),
              of(5),
              of(6),
              of(7),
              of(8),
              of(9),
              of(10),
              of(11),
              of(12),
              of(13),
              of(14),
              of(15),
            ),
);

/** The members of `packing` in device functions. */
export interface Packing {
  readonly width: AuthorOf<typeof packWidth>;
  readonly inFlight: AuthorOf<typeof packsOf>;
  readonly wordWidth: AuthorOf<typeof wordWidth>;
  readonly accumulator: AuthorOf<typeof accumulator>;
  readonly bitsOf: AuthorOf<typeof bitsOf>;
  readonly byLane: AuthorOf<typeof byLane>;
}

/** Sizes and types for accesses of several elements: `use: { packing }`. */
export const packing: DeviceModule<Packing> = deviceModule('packing', {
  width: packWidth,
  inFlight: packsOf,
  wordWidth,
  accumulator,
  bitsOf,
  byLane,
});
