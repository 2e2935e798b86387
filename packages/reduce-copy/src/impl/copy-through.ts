import { deviceFn, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { access } from './access.ts';
import { requiresWords } from './contracts.ts';
import { inPacks } from './in-packs.ts';
import { packing } from './packing.ts';

/** Copies `count` elements to all copies behind a multicast address without changing a bit. */
export const copyThrough: DeviceFn<(coop: CoopLike, type: TypeFn, src: Ptr, dst: Ptr, count: number) => void> =
  deviceFn(
    { name: 'copyThrough', use: { inPacks, packing, access, requiresWords } },
    ({ inPacks, packing, access, requiresWords, sizeOf, u64 }, coop, T, src, dst, count) => {
      requiresWords(coop, T, (_i: number) => dst, 1, count);
      const misalignment = dst.misalignment(16);
      const B = sizeOf(T) === 8 ? u64 : packing.bitsOf(T);
      const copy = (n: number, at: number): void => {
        access.storeToAll(B, n, dst.cast(B).offset(at), access.load(B, n, src.cast(B).offset(at)));
      };
      const each = packing.wordWidth(T);
      inPacks(
        coop,
        T,
        misalignment,
        src.misalignment(16) === misalignment,
        count,
        1,
        (at, _step, _packs) => copy(packing.width(T), at),
        (at) => copy(each, at),
        each,
      );
    },
  );
