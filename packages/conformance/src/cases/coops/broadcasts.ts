import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';

const entryKernel = kernel(
  { name: 'bcastWithoutEntrySync', use: { lsa }, params: slots },
  ({ lsa, threadIdx, blockIdx, coopCta, coopWarpSpan, coopTile, u32 }, { out }) => {
    const i = blockIdx.x * 64 + threadIdx.x;
    const o = lsa.localPointer(out, u32, 0).offset(4 * i);
    const cta = coopCta();
    const span = coopWarpSpan(0, 2, 4);
    o.store(0, cta.bcast(i + 1, 63, true));
    cta.sync();
    o.store(1, cta.bcast(i + 2, 9, false));
    cta.sync();
    o.store(2, span.bcast(i + 3, 40, false));
    o.store(3, coopTile(16).bcast(i + 4, 15, false));
  },
);

export const withoutEntrySync: Case<'coops/bcast-entry-sync'> = computeCase({
  id: 'coops/bcast-entry-sync',
  mirrors: 'ncclCoopBcast with entrySync true and, where the group has just synchronized, false',
  requires: { subgroups: true },
  kernel: entryKernel,
  ranks: [1, 2],
  grid: 2,
  block: 64,
  expected: () => ({
    type: 'u32',
    values: count(2 * 64).flatMap((i) => {
      const first = i - (i % 64);
      return [first + 64, first + 11, first + 43, i - (i % 16) + 19];
    }),
  }),
});

const lanesKernel = kernel(
  { name: 'bcastOfLanes', use: { lsa }, params: slots },
  ({ lsa, threadIdx, coopLanes, u32 }, { out }) => {
    const i = threadIdx.x;
    const o = lsa.localPointer(out, u32, 0).offset(4 * i);
    for (let j = 0; j < 4; j++) o.store(j, 999);
    if (i % 3 === 0) {
      const lanes = coopLanes(0x49249249);
      o.store(0, lanes.bcast(i));
      o.store(1, lanes.bcast(i * 2, 4));
      o.store(2, u32(lanes.any(i === 30)) + u32(lanes.all(i < 30)) * 2 + u32(lanes.all(i < 31)) * 4);
      o.store(3, lanes.threadRank() * 100 + lanes.size());
    }
  },
);

export const lanesBcast: Case<'coops/lanes-exchange'> = computeCase({
  id: 'coops/lanes-exchange',
  mirrors: 'ncclCoopLanes: ncclCoopBcast and votes among every third lane',
  requires: { subgroups: true, divergentWaits: true },
  kernel: lanesKernel,
  block: 32,
  expected: () => ({
    type: 'u32',
    values: count(32).flatMap((i) => (i % 3 === 0 ? [0, 24, 5, (i / 3) * 100 + 11] : [999, 999, 999, 999])),
  }),
});

const sizesKernel = kernel(
  { name: 'tilesOfEverySize', use: { lsa }, params: slots },
  ({ lsa, threadIdx, coopTile, unroll, u32 }, { out }) => {
    const i = threadIdx.x;
    const o = lsa.localPointer(out, u32, 0).offset(18 * i);
    for (const power of unroll(6)) {
      const tile = coopTile(1 << power);
      const last = tile.size() - 1;
      o.store(3 * power, tile.threadRank());
      o.store(3 * power + 1, tile.size());
      o.store(3 * power + 2, tile.bcast(i, last));
    }
  },
);

export const tileSizes: Case<'coops/tile-sizes'> = computeCase({
  id: 'coops/tile-sizes',
  mirrors: 'ncclCoopTile of every power of two up to 32',
  requires: { subgroups: true },
  kernel: sizesKernel,
  block: 64,
  expected: () => ({
    type: 'u32',
    values: count(64).flatMap((i) =>
      count(6).flatMap((power) => {
        const size = 2 ** power;
        return [i % size, size, i - (i % size) + size - 1];
      }),
    ),
  }),
});
