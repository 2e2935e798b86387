import { deviceFn, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { loadElements, storeToAll } from './access.ts';
import { requiresWords } from './contracts.ts';
import { inPacks } from './in-packs.ts';
import { bitsOf, packWidth, wordWidth } from './packs.ts';

/** Copies `count` elements to all copies behind a multicast address, bit by bit. */
export const copyThrough: DeviceFn<(coop: CoopLike, type: TypeFn, src: Ptr, dst: Ptr, count: number) => void> =
  deviceFn(
    { name: 'copyThrough', use: { inPacks, bitsOf, packWidth, wordWidth, loadElements, storeToAll, requiresWords } },
    (
      { inPacks, bitsOf, packWidth, wordWidth, loadElements, storeToAll, requiresWords, sizeOf, u64 },
      coop: CoopLike,
      T: TypeFn,
      src: Ptr,
      dst: Ptr,
      count: number,
    ) => {
      requiresWords(coop, T, (_i: number) => dst, 1, count);
      const misalignment = dst.misalignment(16);
      const B = sizeOf(T) === 8 ? u64 : bitsOf(T);
      const copy = (n: number, at: number): void => {
        storeToAll(B, n, dst.cast(B).offset(at), loadElements(B, n, src.cast(B).offset(at)));
      };
      const each = wordWidth(T);
      inPacks(
        coop,
        T,
        misalignment,
        src.misalignment(16) === misalignment,
        count,
        1,
        (at, _step, _packs) => {
          copy(packWidth(T), at);
        },
        (at) => {
          copy(each, at);
        },
        each,
      );
    },
  );
