import {
  deviceFn,
  deviceModule,
  type AuthorOf,
  type DeviceFn,
  type DeviceModule,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';

/** Returns the number of elements in an 8-byte value with a flag. It is a constant. */
const llWidth: DeviceFn<(type: TypeFn) => number> = deviceFn(
  { name: 'llWidth' },
  ({ sizeOf }, T: TypeFn) => 8 / sizeOf(T),
);

/** Returns the type of 8 bytes of elements: a vector of them, or a single one. */
const llType: DeviceFn<(type: TypeFn) => TypeFn> = deviceFn(
  { name: 'llType', use: { llWidth } },
  ({ llWidth, vec }, T: TypeFn) => (llWidth(T) === 1 ? T : vec(T, llWidth(T))),
);

/** Returns the index of `rank` among the peers of rank `at`. Ranks send nothing to themselves. */
const peerSlot: DeviceFn<(rank: number, at: number) => number> = deviceFn(
  { name: 'peerSlot' },
  (_context, rank: number, at: number) => (rank < at ? rank : rank - 1),
);

/**
 * Loads 8 bytes of elements into `word`, as one value, from the `count` elements at `from`,
 * starting at element `first`. Elements past the last one are zero.
 */
const loadWord: DeviceFn<(type: TypeFn, word: Ptr, from: Ptr, first: number, count: number) => void> = deviceFn(
  { name: 'loadWord', use: { llType, llWidth } },
  ({ llType, llWidth, unroll, withLane }, T: TypeFn, word: Ptr, from: Ptr, first: number, count: number) => {
    const width = llWidth(T);
    if (width === 1) word.store(0, first < count ? from.load(first) : T(0));
    else {
      let all = llType(T)(T(0));
      if (from.offset(first).misalignment(8) === 0 && first + width <= count) {
        all = from.offset(first).cast(llType(T)).load(0);
      } else for (const k of unroll(width)) if (first + k < count) all = withLane(all, k, from.load(first + k));
      word.store(0, all);
    }
  },
);

/**
 * Stores the elements of the value `word` to `to`, starting at element `first`, and none past
 * `count`.
 */
const storeWord: DeviceFn<(type: TypeFn, word: number, to: Ptr, first: number, count: number) => void> = deviceFn(
  { name: 'storeWord', use: { llType, llWidth } },
  ({ llType, llWidth, lane, unroll }, T: TypeFn, word: number, to: Ptr, first: number, count: number) => {
    const width = llWidth(T);
    const each = (): void => {
      for (const k of unroll(width)) {
        if (first + k < count) to.store(first + k, width === 1 ? word : lane(word, k));
      }
    };
    if (width === 1) each();
    else if (to.offset(first).misalignment(8) === 0 && first + width <= count) {
      to.offset(first).cast(llType(T)).store(0, word);
    } else each();
  },
);

/** The functions of `llWords` in a kernel. */
export interface LLWords {
  readonly width: AuthorOf<typeof llWidth>;
  readonly type: AuthorOf<typeof llType>;
  readonly peerSlot: AuthorOf<typeof peerSlot>;
  readonly load: AuthorOf<typeof loadWord>;
  readonly store: AuthorOf<typeof storeWord>;
}

/** 8-byte values that travel with flags: `use: { llWords }`. */
export const llWords: DeviceModule<LLWords> = deviceModule('llWords', {
  width: llWidth,
  type: llType,
  peerSlot,
  load: loadWord,
  store: storeWord,
});
