import { deviceFn, kernel, type Coop, type CoopLike, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';

const threads = 128;
/** The memory in which CTAs and ranks keep the values of their groups separate. */
const separateRanks = { ranks: [1, 2], grid: 2 } as const;
const inEachCta = <T>(of: (cta: number, thread: number) => readonly T[], block = threads): readonly T[] =>
  count(separateRanks.grid).flatMap((cta) => count(block).flatMap((thread) => of(cta, thread)));

const identityKernel = kernel(
  { name: 'groupIdentity', use: { lsa }, params: slots },
  ({ lsa, threadIdx, coopCta, coopWarp, coopThread, coopTile, coopLanes, coopWarpSpan, coopAny, u32 }, { out }) => {
    const i = threadIdx.x;
    const o = lsa.localPointer(out, u32, 0).offset(16 * i);
    o.store(0, coopCta().threadRank());
    o.store(1, coopCta().size());
    o.store(2, coopWarp().threadRank());
    o.store(3, coopWarp().size());
    o.store(4, coopThread().threadRank());
    o.store(5, coopThread().size());
    o.store(6, coopTile(4).threadRank());
    o.store(7, coopTile(16).size());
    const odd = coopLanes(0xaaaaaaaa);
    o.store(8, i % 2 === 1 ? odd.threadRank() : u32(99));
    o.store(9, odd.size());
    const span = coopWarpSpan(1, 3, 2);
    o.store(10, i >= 32 ? span.threadRank() : u32(99));
    o.store(11, span.size());
    o.store(12, coopAny(coopTile(8)).threadRank());
    o.store(13, coopAny(coopCta()).size());
    const custom = { threadRank: () => i / 2, size: () => u32(64), sync: () => {} };
    o.store(14, coopAny(custom).threadRank());
    o.store(15, custom.size());
  },
);

export const identity: Case<'coops/identity'> = computeCase({
  id: 'coops/identity',
  mirrors: 'thread_rank and size of ncclCoopCta, Warp, Thread, Tile, Lanes, WarpSpan, Any',
  kernel: identityKernel,
  block: threads,
  expected: () => ({
    type: 'u32',
    values: count(threads).flatMap((i) => [
      i,
      threads,
      i % 32,
      32,
      0,
      1,
      i % 4,
      16,
      i % 2 === 1 ? Math.floor((i % 32) / 2) : 99,
      16,
      i >= 32 ? i - 32 : 99,
      96,
      i % 8,
      threads,
      Math.floor(i / 2),
      64,
    ]),
  }),
});

/**
 * Threads of a group exchange numbers through shared memory. Each takes the number of the next
 * member.
 */
const rotate: DeviceFn<(coop: Coop, values: CoopValues, base: number) => number> = deviceFn(
  { name: 'rotate' },
  (_context, coop: Coop, values: CoopValues, base: number) => {
    const next = base + ((coop.threadRank() + 1) % coop.size());
    coop.sync();
    const taken = values.load(next);
    coop.sync();
    return taken;
  },
);

interface CoopValues {
  load(index: number): number;
}

const syncKernel = kernel(
  { name: 'groupSync', use: { lsa, rotate }, params: slots },
  ({ lsa, rotate, threadIdx, blockIdx, coopCta, coopWarp, coopTile, coopWarpSpan, sharedArray, u32 }, { out }) => {
    const i = threadIdx.x;
    const own = blockIdx.x * 10000;
    const values = sharedArray(u32, 128);
    const o = lsa.localPointer(out, u32, 0).offset(5 * (blockIdx.x * 128 + i));
    values.store(i, own + i * 3);
    o.store(0, rotate(coopCta(), values, u32(0)));
    values.store(i, own + i * 5);
    o.store(1, rotate(coopWarp(), values, i - (i % 32)));
    values.store(i, own + i * 7);
    o.store(2, rotate(coopTile(8), values, i - (i % 8)));
    values.store(i, own + i * 11);
    // Two spans at once, each with its own barrier.
    const second = i >= 64;
    const span = coopWarpSpan(second ? 2 : 0, 2, second ? 1 : 0);
    o.store(3, rotate(span, values, second ? u32(64) : u32(0)));
    values.store(i, own + i * 13);
    o.store(4, rotate(coopTile(2), values, i - (i % 2)));
  },
);

export const sync: Case<'coops/sync'> = computeCase({
  id: 'coops/sync',
  mirrors: 'sync of ncclCoopCta, Warp, Tile, WarpSpan: earlier writes are visible afterwards',
  requires: { subgroups: true },
  kernel: syncKernel,
  ...separateRanks,
  block: threads,
  expected: () => ({
    type: 'u32',
    values: inEachCta((cta, i) => {
      const next = (size: number): number => i - (i % size) + ((i + 1) % size);
      return [next(128) * 3, next(32) * 5, next(8) * 7, next(64) * 11, next(2) * 13].map((n) => cta * 10000 + n);
    }),
  }),
});

const exchangeKernel = kernel(
  { name: 'groupExchange', use: { lsa }, params: slots },
  ({ lsa, threadIdx, coopCta, coopWarp, coopTile, coopThread, coopWarpSpan, u32, f32 }, { out }) => {
    const i = threadIdx.x;
    const o = lsa.localPointer(out, u32, 0).offset(12 * i);
    const v = i * 3 + 1;
    o.store(0, coopCta().bcast(v));
    o.store(1, coopCta().bcast(v, 77));
    o.store(2, coopWarp().bcast(v, 5));
    o.store(3, coopTile(8).bcast(v, 7));
    o.store(4, coopThread().bcast(v));
    const second = i >= 64;
    o.store(5, coopWarpSpan(second ? 2 : 0, 2, second ? 3 : 2).bcast(v, 40));
    o.store(6, u32(coopCta().any(i === 100)) + u32(coopCta().all(i < 128)) * 2 + u32(coopCta().any(i > 200)) * 4);
    o.store(7, u32(coopWarp().any(i === 40)) + u32(coopWarp().all(i < 64)) * 2);
    o.store(8, u32(coopTile(4).any(i % 16 === 0)) + u32(coopTile(4).all(i % 8 < 4)) * 2);
    o.store(9, u32(coopThread().any(i === 3)) + u32(coopThread().all(i < 9)) * 2);
    o.store(10, u32(coopTile(16).bcast(f32(i) / 2, 3) * 2));
    o.store(11, coopCta().bcast(u32(coopCta().any(v > 300)), 3));
  },
);

export const exchange: Case<'coops/bcast-any-all'> = computeCase({
  id: 'coops/bcast-any-all',
  mirrors: 'ncclCoopBcast; __syncthreads_or, __syncthreads_and and their kin',
  requires: { subgroups: true },
  kernel: exchangeKernel,
  block: threads,
  expected: () => ({
    type: 'u32',
    values: count(threads).flatMap((i) => {
      const v = (k: number): number => k * 3 + 1;
      const base = (size: number): number => i - (i % size);
      const bits = (...flags: readonly boolean[]): number =>
        flags.reduce((sum, flag, bit) => sum + (flag ? 2 ** bit : 0), 0);
      return [
        v(0),
        v(77),
        v(base(32) + 5),
        v(base(8) + 7),
        v(i),
        v(base(64) + 40),
        bits(true, true, false),
        bits(base(32) === 32, base(32) < 64),
        bits(base(4) % 16 === 0, base(4) % 8 === 0),
        bits(i === 3, i < 9),
        base(16) + 3,
        1,
      ];
    }),
  }),
});

const divergentKernel = kernel(
  { name: 'groupsApart', use: { lsa }, params: slots },
  ({ lsa, threadIdx, blockIdx, coopCta, coopWarp, coopTile, coopLanes, sharedArray, u32 }, { out }) => {
    const i = threadIdx.x;
    const values = sharedArray(u32, 128);
    const o = lsa.localPointer(out, u32, 0).offset(3 * (blockIdx.x * 128 + i));
    const warp = i / 32;
    let v = blockIdx.x * 10000;
    // Each warp takes its own path, and synchronizes a different number of times.
    for (let round = u32(0); round <= warp; round++) {
      values.store(i, i + round * 1000);
      coopWarp().sync();
      v += values.load(warp * 32 + (31 - (i % 32)));
      coopWarp().sync();
    }
    if (warp === 1) {
      v = coopWarp().bcast(v, 4);
      coopTile(4).sync();
    } else if (warp === 2) {
      if (i % 2 === 0) {
        const even = coopLanes(0x55555555);
        values.store(i, v);
        even.sync();
        v = values.load(64 + ((i - 64 + 2) % 32)) + even.size();
      } else v = 5;
    }
    o.store(0, v);
    coopCta().sync();
    values.store(i, v);
    coopCta().sync();
    o.store(1, values.load((i + 32) % 128));
    o.store(2, u32(coopCta().any(v === 5)));
  },
);

export const divergent: Case<'coops/divergent'> = computeCase({
  id: 'coops/divergent',
  mirrors: 'groups that synchronize on divergent paths of a CTA',
  requires: { subgroups: true, divergentWaits: true },
  kernel: divergentKernel,
  ...separateRanks,
  block: threads,
  expected: () => {
    const summed = (i: number): number => {
      const warp = Math.floor(i / 32);
      return count(warp + 1).reduce((sum, round) => sum + warp * 32 + 31 - (i % 32) + 1000 * round, 0);
    };
    const final = (cta: number, i: number): number => {
      const warp = Math.floor(i / 32);
      const own = cta * 10000;
      if (warp === 1) return own + summed(36);
      if (warp !== 2) return own + summed(i);
      return i % 2 === 0 ? own + summed(64 + ((i - 64 + 2) % 32)) + 16 : 5;
    };
    return { type: 'u32', values: inEachCta((cta, i) => [final(cta, i), final(cta, (i + 32) % 128), 1]) };
  },
});

const coalescedKernel = kernel(
  { name: 'coalesced', use: { lsa }, params: slots },
  ({ lsa, threadIdx, coopCoalesced, u32 }, { out }) => {
    const i = threadIdx.x;
    const o = lsa.localPointer(out, u32, 0);
    // The machine decides which lanes run together. But the own lane is one of them, and all see
    // the same number.
    if (i % 3 === 0) {
      const here = coopCoalesced();
      const leader = here.bcast(i, 0);
      const fits = here.threadRank() < here.size() && here.size() <= 11 && leader % 3 === 0 && leader <= i;
      o.store(i, fits ? 1 : 2);
    } else o.store(i, 7);
  },
);

export const coalesced: Case<'coops/coalesced'> = computeCase({
  id: 'coops/coalesced',
  mirrors: 'ncclCoopCoalesced',
  requires: { subgroups: true, divergentWaits: true },
  kernel: coalescedKernel,
  block: 32,
  expected: () => ({ type: 'u32', values: count(32).map((i) => (i % 3 === 0 ? 1 : 7)) }),
});

const meetThrough: DeviceFn<(coop: CoopLike, mark: () => void) => void> = deviceFn(
  { name: 'meetThrough' },
  (_context, coop: CoopLike, mark: () => void) => {
    coop.sync();
    if (coop.threadRank() === 0) mark();
    coop.sync();
  },
);

const passedKernel = kernel(
  { name: 'passedGroups', use: { lsa, meetThrough }, params: slots },
  ({ lsa, meetThrough, threadIdx, blockIdx, coopCta, coopAny, coopTile, sharedArray, u32 }, { out }) => {
    const i = threadIdx.x;
    const own = blockIdx.x * 10000;
    const marks = sharedArray(u32, 64);
    marks.store(i, own);
    meetThrough(coopCta(), () => marks.store(1, own + 10));
    meetThrough(coopAny(coopTile(16)), () => {
      marks.store(i, marks.load(i) + 100);
    });
    const pairs = { threadRank: () => (i + 1) % 64, size: () => u32(64), sync: () => coopCta().sync() };
    meetThrough(pairs, () => {
      marks.store(i, marks.load(i) + 1000);
    });
    lsa.localPointer(out, u32, 0).store(blockIdx.x * 64 + i, marks.load(i));
  },
);

export const passedOn: Case<'coops/passed-on'> = computeCase({
  id: 'coops/passed-on',
  mirrors: 'groups as arguments: ncclCoopAny, and groups that an author defines',
  requires: { subgroups: true },
  kernel: passedKernel,
  ...separateRanks,
  block: 64,
  expected: () => ({
    type: 'u32',
    values: inEachCta(
      (cta, i) => [cta * 10000 + (i === 1 ? 10 : 0) + (i % 16 === 0 ? 100 : 0) + (i === 63 ? 1000 : 0)],
      64,
    ),
  }),
});
