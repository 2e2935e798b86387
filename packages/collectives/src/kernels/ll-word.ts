import { deviceFn, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';

/** The number of elements in a value with flags: 8 bytes. A constant. */
export const llWidth: DeviceFn<(type: TypeFn) => number> = deviceFn(
  { name: 'llWidth' },
  ({ sizeOf }, T: TypeFn) => 8 / sizeOf(T),
);

/**
 * The elements from `first` on of `count` at `from` into `word`, which has room for 8 bytes of
 * them; zeros for those behind the last.
 */
export const loadWord: DeviceFn<(type: TypeFn, word: Ptr, from: Ptr, first: number, count: number) => void> = deviceFn(
  { name: 'loadWord', use: { llWidth } },
  ({ llWidth, lane, unroll, vec }, T: TypeFn, word: Ptr, from: Ptr, first: number, count: number) => {
    const width = llWidth(T);
    const each = (): void => {
      for (const k of unroll(width)) word.store(k, first + k < count ? from.load(first + k) : T(0));
    };
    if (width === 1) each();
    else if (from.offset(first).misalignment(8) === 0 && first + width <= count) {
      const all = from.offset(first).cast(vec(T, width)).load(0);
      for (const k of unroll(width)) word.store(k, lane(all, k));
    } else each();
  },
);

/**
 * Stores the elements of a received `word` to `to` from element `first` on, and none past `count`.
 */
export const storeWord: DeviceFn<(type: TypeFn, word: number, to: Ptr, first: number, count: number) => void> =
  deviceFn(
    { name: 'storeWord', use: { llWidth } },
    ({ llWidth, lane, unroll, vec }, T: TypeFn, word: number, to: Ptr, first: number, count: number) => {
      const width = llWidth(T);
      const each = (): void => {
        for (const k of unroll(width)) {
          if (first + k < count) to.store(first + k, width === 1 ? word : lane(word, k));
        }
      };
      if (width === 1) each();
      else if (to.offset(first).misalignment(8) === 0 && first + width <= count) {
        to.offset(first).cast(vec(T, width)).store(0, word);
      } else each();
    },
  );
