import {
  deviceFn,
  deviceModule,
  type AuthorOf,
  type DeviceFn,
  type DeviceModule,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';

/** The number of elements in a value with flags: 8 bytes. A constant. */
const llWidth: DeviceFn<(type: TypeFn) => number> = deviceFn(
  { name: 'llWidth' },
  ({ sizeOf }, T: TypeFn) => 8 / sizeOf(T),
);

/** The type of 8 bytes of elements: a vector of them, or one. */
const llType: DeviceFn<(type: TypeFn) => TypeFn> = deviceFn(
  { name: 'llType', use: { llWidth } },
  ({ llWidth, vec }, T: TypeFn) => (llWidth(T) === 1 ? T : vec(T, llWidth(T))),
);

/** The place of `rank` among the peers of rank `at`: ranks send nothing to themselves. */
const peerPlace: DeviceFn<(rank: number, at: number) => number> = deviceFn(
  { name: 'peerPlace' },
  (_context, rank: number, at: number) => (rank < at ? rank : rank - 1),
);

/**
 * Loads 8 bytes of elements of `first` at `count`, starting at `from`, into `word`, as one value.
 * Elements past the last one are zero.
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
 * Stores the elements of `word`, which is one value, to `to` from element `first` on, and none past
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
  readonly peerPlace: AuthorOf<typeof peerPlace>;
  readonly load: AuthorOf<typeof loadWord>;
  readonly store: AuthorOf<typeof storeWord>;
}

/** Values of 8 bytes that travel with flags: `use: { llWords }`. */
export const llWords: DeviceModule<LLWords> = deviceModule('llWords', {
  width: llWidth,
  type: llType,
  peerPlace,
  load: loadWord,
  store: storeWord,
});
