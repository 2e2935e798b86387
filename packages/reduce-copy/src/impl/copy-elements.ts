import { deviceFn, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { alike, inPacks, type Place } from './in-packs.ts';
import { bitsOf } from './packs.ts';

/**
 * Copies `count` elements to `nDst` destinations, bit by bit. `symmetric` (a constant) says that all destinations are
 * aligned as the first is.
 */
export const copyElements: DeviceFn<
  (coop: CoopLike, type: TypeFn, src: Ptr, dst: Place, nDst: number, count: number, symmetric: boolean) => void
> = deviceFn(
  { name: 'copyElements', use: { alike, inPacks, bitsOf } },
  (
    { alike, inPacks, bitsOf, vec, u32 },
    coop: CoopLike,
    T: TypeFn,
    src: Ptr,
    dst: Place,
    nDst: number,
    count: number,
    symmetric: boolean,
  ) => {
    const misalignment = src.misalignment(16);
    const together = symmetric ? dst(0).misalignment(16) === misalignment : alike(dst, nDst, misalignment);
    const copy = (as: TypeFn, at: number): void => {
      const bits = src.offset(at).cast(as).load(0);
      for (let i = 0; i < nDst; i++) dst(i).offset(at).cast(as).store(0, bits);
    };
    inPacks(
      coop,
      T,
      misalignment,
      together,
      count,
      (at) => {
        copy(vec(u32, 4), at);
      },
      (at) => {
        copy(bitsOf(T), at);
      },
      1,
    );
  },
);
