import { deviceFn, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { packing } from './packing.ts';

/** A memory access of the portable bodies. `at` is the index of an element. */
export type AccessElement = (at: number) => void;
/** The same for `packs` (a constant) times 16 bytes, `step` elements apart. */
export type PackStep = (at: number, step: number, packs: number) => void;
/** Returns source or destination number `i` of a call. */
export type PointerAt = (i: number) => Ptr;

/** True if all `n` addresses are `misalignment` bytes past a multiple of 16. */
export const alike: DeviceFn<(pointerAt: PointerAt, n: number, misalignment: number) => boolean> = deviceFn(
  { name: 'alike' },
  (_context, place, n, misalignment) => {
    let together = true;
    for (let i = 0; i < n; i++) together = together && place(i).misalignment(16) === misalignment;
    return together;
  },
);

/**
 * Distributes `count` elements of type T over the threads of `coop`. `few` handles the elements
 * before the first multiple of 16 bytes and after the last. In between, `pack` handles 16 bytes
 * from element `at` on, or `packs` (a constant) times 16 bytes while enough are left. If the
 * addresses are not aligned `together`, `few` handles all elements. One call of `few` handles
 * `each` elements (a constant that divides `count`) from element `at` on.
 */
export const inPacks: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    misalignment: number,
    together: boolean,
    count: number,
    packs: number,
    pack: PackStep,
    few: AccessElement,
    each: number,
  ) => void
> = deviceFn(
  { name: 'inPacks', use: { packing } },
  ({ packing, min, sizeOf }, coop, T, misalignment, together, count, packs, pack, few, each) => {
    const width = packing.width(T);
    const rank = coop.threadRank();
    const size = coop.size();
    const head = together ? min(((16 - misalignment) & 15) / sizeOf(T), count) : count;
    const tail = count - ((count - head) % width);
    const stride = size * width;
    let begin = head + rank * width;
    if (packs > 1) {
      const more = (packs - 1) * stride;
      // This form adds no number that the type of `count` may not be able to hold.
      for (; begin < tail && tail - begin > more; begin += packs * stride) pack(begin, stride, packs);
    }
    for (let at = begin; at < tail; at += stride) pack(at, stride, 1);
    const first = each === 1 ? rank : rank * each;
    const step = each === 1 ? size : size * each;
    // The elements before the packs, then those after them, by the same code.
    for (let part = 0; part < 2; part++) {
      const end = part === 0 ? head : count;
      // Starts from 0 in the type of `count`, because the type of the thread's rank may be too
      // narrow.
      for (let at = (part === 0 ? count - count : tail) + first; at < end; at += step) few(at);
    }
  },
);
