import { deviceFn, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { alike, inPacks, type PointerAt } from './in-packs.ts';
import { packing } from './packing.ts';

/**
 * Copies `count` elements to `nDst` destinations without changing a bit. The constant `symmetric`
 * promises that all destinations are aligned like the first.
 */
export const copyElements: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    src: Ptr,
    dst: PointerAt,
    nDst: number,
    count: number,
    symmetric: boolean,
    unroll?: number,
  ) => void
> = deviceFn(
  { name: 'copyElements', use: { alike, inPacks, packing } },
  ({ alike, inPacks, packing, localArray, unroll, vec, u32 }, coop, T, src, dst, nDst, count, symmetric, inFlight) => {
    const misalignment = src.misalignment(16);
    const together = symmetric ? dst(0).misalignment(16) === misalignment : alike(dst, nDst, misalignment);
    const copy = (as: TypeFn, at: number): void => {
      const bits = src.offset(at).cast(as).load(0);
      for (let i = 0; i < nDst; i++) dst(i).offset(at).cast(as).store(0, bits);
    };
    const copyMany = (at: number, step: number, packs: number): void => {
      const V = vec(u32, 4);
      const bits = localArray(V, packs);
      for (const k of unroll(packs)) {
        bits[k] = src
          .offset(at + k * step)
          .cast(V)
          .load(0);
      }
      for (let i = 0; i < nDst; i++) {
        for (const k of unroll(packs)) {
          dst(i)
            .offset(at + k * step)
            .cast(V)
            .store(0, bits.load(k));
        }
      }
    };
    inPacks(
      coop,
      T,
      misalignment,
      together,
      count,
      packing.inFlight(T, inFlight),
      (at, step, packs) => {
        if (packs === 1) copy(vec(u32, 4), at);
        else copyMany(at, step, packs);
      },
      (at) => copy(packing.bitsOf(T), at),
      1,
    );
  },
);
