import {
  deviceFn,
  deviceModule,
  type AuthorOf,
  type DeviceFn,
  type DeviceModule,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';

/** Returns the number of elements of a type in 16 bytes. It is a constant. */
const wideWidth: DeviceFn<(type: TypeFn) => number> = deviceFn(
  { name: 'wideWidth' },
  ({ sizeOf }, T: TypeFn) => 16 / sizeOf(T),
);

/**
 * Loads elements into `word`, a 16-byte vector, from the `count` elements at `from`, starting at
 * element `first`. Elements past the last one are zero. `first` must be a multiple of the width. If
 * `from` is aligned, a single load fetches all elements.
 */
const loadWide: DeviceFn<(type: TypeFn, word: Ptr, from: Ptr, first: number, count: number) => void> = deviceFn(
  { name: 'loadWide', use: { wideWidth } },
  ({ wideWidth, bitcast, u32, vec, withLane }, T: TypeFn, word: Ptr, from: Ptr, first: number, count: number) => {
    const width = wideWidth(T);
    const V = vec(u32, 4);
    if (from.misalignment(16) === 0 && first + width <= count) word.store(0, from.offset(first).cast(V).load(0));
    else {
      let all = vec(T, width)(T(0));
      // This is a loop at run time, because it rarely runs and kernels contain it many times.
      for (let k = u32(0); k < width && first + k < count; k++) all = withLane(all, k, from.load(first + k));
      word.store(0, bitcast(V, all));
    }
  },
);

/**
 * Stores the elements of `word`, a 16-byte vector, to `to`, starting at element `first`, and none
 * past the last of `count`.
 */
const storeWide: DeviceFn<(type: TypeFn, word: number, to: Ptr, first: number, count: number) => void> = deviceFn(
  { name: 'storeWide', use: { wideWidth } },
  ({ wideWidth, lane, u32, vec }, T: TypeFn, word: number, to: Ptr, first: number, count: number) => {
    const width = wideWidth(T);
    if (to.misalignment(16) === 0 && first + width <= count) {
      to.offset(first).cast(vec(T, width)).store(0, word);
    } else {
      for (let k = u32(0); k < width && first + k < count; k++) to.store(first + k, lane(word, k));
    }
  },
);

/** The functions of `wideWords` in a kernel. */
export interface WideWords {
  readonly width: AuthorOf<typeof wideWidth>;
  readonly load: AuthorOf<typeof loadWide>;
  readonly store: AuthorOf<typeof storeWide>;
}

/** 16-byte words: `use: { wideWords }`. */
export const wideWords: DeviceModule<WideWords> = deviceModule('wideWords', {
  width: wideWidth,
  load: loadWide,
  store: storeWide,
});
