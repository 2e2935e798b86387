import { deviceFn, kernel, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';

const threads = 64;

/** The lane mask of a group, and its kind in two bits. */
const kindOf: DeviceFn<(coop: Coop) => number> = deviceFn(
  { name: 'kindOf' },
  ({ coopIsThread, coopWithinWarp, u32 }, coop: Coop) =>
    u32(coopIsThread(coop) ? 1 : 0) + u32(coopWithinWarp(coop) ? 2 : 0),
);

const queriesKernel = kernel(
  { name: 'groupQueries', use: { lsa, kindOf }, params: slots },
  (
    {
      lsa,
      kindOf,
      threadIdx,
      coopCta,
      coopWarp,
      coopThread,
      coopTile,
      coopLanes,
      coopWarpSpan,
      coopAny,
      coopGetLaneMask,
      u32,
    },
    { out },
  ) => {
    const o = lsa.localPointer(out, u32, 0).offset(14 * threadIdx.x);
    const lanes = coopLanes(0x80f00001);
    o.store(0, coopGetLaneMask(coopThread()));
    o.store(1, coopGetLaneMask(coopTile(2)));
    o.store(2, coopGetLaneMask(coopTile(4)));
    o.store(3, coopGetLaneMask(coopTile(8)));
    o.store(4, coopGetLaneMask(coopTile(16)));
    o.store(5, coopGetLaneMask(coopWarp()));
    o.store(6, coopGetLaneMask(lanes));
    o.store(7, coopGetLaneMask(coopWarpSpan(0, 2, 3)));
    o.store(8, coopGetLaneMask(coopCta()));
    o.store(9, coopGetLaneMask(coopAny(coopTile(8))));
    o.store(10, kindOf(coopThread()) + 4 * kindOf(coopTile(1)) + 16 * kindOf(coopTile(2)));
    o.store(11, kindOf(coopWarp()) + 4 * kindOf(lanes));
    o.store(12, kindOf(coopWarpSpan(0, 2, 3)) + 4 * kindOf(coopCta()));
    o.store(13, kindOf(coopAny(coopThread())));
  },
);

const warpMask = 0xffffffff;

export const queries: Case<'coops/lane-masks-and-kinds'> = computeCase({
  id: 'coops/lane-masks-and-kinds',
  mirrors: 'ncclCoopGetLaneMask, ncclCoopIsThread, ncclCoopWithinWarp',
  kernel: queriesKernel,
  block: threads,
  expected: () => ({
    type: 'u32',
    values: count(threads).flatMap((i) => {
      const lane = i % 32;
      const tile = (size: number): number => (2 ** size - 1) * 2 ** (lane - (lane % size));
      const masks = [tile(1), tile(2), tile(4), tile(8), tile(16), warpMask, 0x80f00001, warpMask, warpMask, tile(8)];
      return [...masks, 3 + 4 * 3 + 16 * 2, 2 + 4 * 2, 0, 3];
    }),
  }),
});

const coalescedKernel = kernel(
  { name: 'coalescedOf', use: { lsa }, params: slots },
  (
    { lsa, threadIdx, coopCta, coopTile, coopLanes, coopWarpSpan, coopThread, coopCoalesced, coopGetLaneMask, u32 },
    { out },
  ) => {
    const i = threadIdx.x;
    const o = lsa.localPointer(out, u32, 0).offset(7 * i);
    const own = { threadRank: () => i, size: () => u32(64), sync: () => coopCta().sync() };
    o.store(0, coopGetLaneMask(coopCoalesced(coopTile(4))));
    o.store(1, coopGetLaneMask(coopCoalesced(coopLanes(0xff00))));
    o.store(2, coopGetLaneMask(coopCoalesced(coopWarpSpan(0, 2, 1))));
    o.store(3, coopGetLaneMask(coopCoalesced(coopCta())));
    o.store(4, coopCoalesced(own).size() * 100 + coopCoalesced(own).threadRank());
    o.store(5, coopCoalesced(coopCta()).bcast(i, 3));
    o.store(6, coopCoalesced(coopThread()).size());
  },
);

export const coalescedOf: Case<'coops/coalesced-of-a-group'> = computeCase({
  id: 'coops/coalesced-of-a-group',
  mirrors: 'ncclCoopCoalesced(coop)',
  requires: { subgroups: true },
  kernel: coalescedKernel,
  block: threads,
  expected: () => ({
    type: 'u32',
    values: count(threads).flatMap((i) => {
      const lane = i % 32;
      return [15 * 2 ** (lane - (lane % 4)), 0xff00, warpMask, warpMask, 3200 + lane, i - lane + 3, 1];
    }),
  }),
});
