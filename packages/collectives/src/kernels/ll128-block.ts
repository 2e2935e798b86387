import {
  deviceFn,
  deviceModule,
  type AuthorOf,
  type DeviceFn,
  type DeviceModule,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';
import { BLOCK_BYTES, LINE_LANES } from '../fifo/ll128.ts';
import { wideWords } from './wide-word.ts';

/** The flag of a line, as the last two of its 32-bit words. */
export interface LineFlag {
  readonly low: number;
  readonly high: number;
}

/** Returns the number of elements of a block. It is a constant. */
const blockWidth: DeviceFn<(type: TypeFn) => number> = deviceFn(
  { name: 'blockWidth', use: { BLOCK_BYTES } },
  ({ BLOCK_BYTES, sizeOf }, T: TypeFn) => BLOCK_BYTES / sizeOf(T),
);

/** True for lanes whose second half holds the flag of a line. They have one piece of a block. */
const holdsFlag: DeviceFn<() => boolean> = deviceFn(
  { name: 'holdsFlag', use: { LINE_LANES } },
  ({ LINE_LANES, threadIdx }) => threadIdx.x % LINE_LANES === LINE_LANES - 1,
);

/**
 * Returns the first element of the calling lane's piece `g` (0 or 1, a constant) of the block that
 * begins at element `begin`. For lanes with one piece, both are the same.
 */
const pieceBegin: DeviceFn<(type: TypeFn, begin: number, g: number) => number> = deviceFn(
  { name: 'pieceBegin', use: { wideWords, holdsFlag, LINE_LANES } },
  ({ wideWords, holdsFlag, LINE_LANES, threadIdx, warpSize }, T: TypeFn, begin: number, g: number) => {
    const lane = threadIdx.x % warpSize;
    const second = warpSize + lane - lane / LINE_LANES;
    return begin + (g === 0 || holdsFlag() ? lane : second) * wideWords.width(T);
  },
);

/** True if a piece is whole, and its two words of 8 bytes are aligned, but the piece is not. */
const isTwoWords: DeviceFn<(type: TypeFn, at: Ptr, first: number, count: number) => boolean> = deviceFn(
  { name: 'isTwoWords', use: { wideWords } },
  ({ wideWords }, T: TypeFn, at: Ptr, first: number, count: number) =>
    at.misalignment(16) !== 0 && at.misalignment(8) === 0 && first + wideWords.width(T) <= count,
);

/** Loads the calling lane's pieces of a block of `count` elements at `from`. */
const loadPieces: DeviceFn<(type: TypeFn, pieces: Ptr, from: Ptr, begin: number, count: number) => void> = deviceFn(
  { name: 'loadPieces', use: { wideWords, pieceBegin, isTwoWords } },
  (
    { wideWords, pieceBegin, isTwoWords, bitcast, u32, u64, unroll, vec },
    T: TypeFn,
    pieces: Ptr,
    from: Ptr,
    begin: number,
    count: number,
  ) => {
    // Lanes with one piece load it twice, so that all lanes take the same path.
    for (const g of unroll(2)) {
      const first = pieceBegin(T, begin, g);
      if (isTwoWords(T, from, first, count)) {
        const words = from.offset(first).cast(u64);
        pieces.store(g, bitcast(vec(u32, 4), vec(u64, 2)(words.load(0), words.load(1))));
      } else wideWords.load(T, pieces.offset(g), from, first, count);
    }
  },
);

/** Stores piece `g` of a block of `count` elements, a vector of them, at `to`. */
const storePiece: DeviceFn<(type: TypeFn, g: number, piece: number, to: Ptr, begin: number, count: number) => void> =
  deviceFn(
    { name: 'storePiece', use: { wideWords, holdsFlag, pieceBegin, isTwoWords } },
    (
      { wideWords, holdsFlag, pieceBegin, isTwoWords, bitcast, lane, u64, unroll, vec },
      T: TypeFn,
      g: number,
      piece: number,
      to: Ptr,
      begin: number,
      count: number,
    ) => {
      if (g === 0 || !holdsFlag()) {
        const first = pieceBegin(T, begin, g);
        if (isTwoWords(T, to, first, count)) {
          const words = bitcast(vec(u64, 2), piece);
          for (const half of unroll(2)) to.offset(first).cast(u64).store(half, lane(words, half));
        } else wideWords.store(T, piece, to, first, count);
      }
    },
  );

/**
 * Returns the calling lane's 16 bytes of line `g` from its pieces. The lane that holds the flags
 * divides its one piece between both lines.
 */
const packed: DeviceFn<(pieces: Ptr, g: number, flag: LineFlag) => number> = deviceFn(
  { name: 'packed', use: { holdsFlag } },
  ({ holdsFlag, lane, u32, vec }, pieces: Ptr, g: number, { low, high }: LineFlag) => {
    const first = pieces.load(0);
    const own = pieces.load(g);
    const flagged = holdsFlag();
    const word = (i: number, other: number): number => (flagged ? other : lane(own, i));
    return vec(u32, 4)(word(0, lane(first, 2 * g)), word(1, lane(first, 2 * g + 1)), word(2, low), word(3, high));
  },
);

/** Returns the calling lane's piece `g` from its 16 bytes of both lines. */
const unpacked: DeviceFn<(g: number, line0: number, line1: number) => number> = deviceFn(
  { name: 'unpacked', use: { holdsFlag } },
  ({ holdsFlag, lane, u32, vec }, g: number, line0: number, line1: number) => {
    if (g === 1) return line1;
    const flagged = holdsFlag();
    const word = (i: number, other: number): number => (flagged ? other : lane(line0, i));
    return vec(u32, 4)(lane(line0, 0), lane(line0, 1), word(2, lane(line1, 0)), word(3, lane(line1, 1)));
  },
);

/**
 * Returns a number other than 0 if the calling lane's 16 bytes show that their line has not come.
 * There is no branch, so that the lanes of a warp stay together for the next load.
 */
const missing: DeviceFn<(word: number, flag: LineFlag) => number> = deviceFn(
  { name: 'missing', use: { holdsFlag } },
  ({ holdsFlag, lane, u32 }, word: number, { low, high }: LineFlag) => {
    const all = holdsFlag() ? u32(0xffffffff) : u32(0);
    return ((lane(word, 2) ^ low) | (lane(word, 3) ^ high)) & all;
  },
);

/** The members of `blocks` in a kernel. */
export interface LineBlocks {
  readonly width: AuthorOf<typeof blockWidth>;
  readonly load: AuthorOf<typeof loadPieces>;
  readonly store: AuthorOf<typeof storePiece>;
  readonly packed: AuthorOf<typeof packed>;
  readonly unpacked: AuthorOf<typeof unpacked>;
  readonly missing: AuthorOf<typeof missing>;
}

/**
 * Blocks of 8 lines that a warp stores by two instructions: `use: { blocks }`.
 *
 * A block has 960 bytes of elements, which are 60 pieces of 16 bytes. Lane l has piece l. Lanes
 * without a flag also have one of the other 28. So consecutive lanes access consecutive pieces of a
 * buffer, and each piece is aligned if the buffer is.
 */
export const blocks: DeviceModule<LineBlocks> = deviceModule('blocks', {
  width: blockWidth,
  load: loadPieces,
  store: storePiece,
  packed,
  unpacked,
  missing,
});
