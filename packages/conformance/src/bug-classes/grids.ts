import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

const readOf = (OTHER: boolean): BugKernel =>
  kernel(
    { name: `readOf_${OTHER ? 'other' : 'same'}Cta`, use: { lsa, OTHER }, params },
    ({ lsa, OTHER, coopCta, blockIdx, u32 }, { comm, inbox, out }) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      const next = lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
      next.store(blockIdx.x, u32(comm.rank) * 10 + blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
      const seen = lsa.localPointer(inbox, u32, 0).load(OTHER ? 1 - blockIdx.x : blockIdx.x);
      lsa.localPointer(out, u32, 0).store(blockIdx.x, seen);
    },
  );

export const barrierOfOneCta: BugClass = {
  id: 'L14',
  title: 'a barrier of one CTA is mistaken for one of the whole grid',
  programs: [
    bugProgram({
      name: 'L14/other-cta',
      requirements: { lsaBarrierCount: 2 },
      launches: [{ kernel: readOf(true), grid: 2 }],
      expects: { kind: 'race', lines: ['const seen =', 'next.store('], anyOrder: true, missing: ['synchronisation'] },
    }),
    bugProgram({
      name: 'L14/same-cta',
      requirements: { lsaBarrierCount: 2 },
      launches: [{ kernel: readOf(false), grid: 2 }],
      result: (rank) => [0, 1].map((cta) => ((rank + 1) % 2) * 10 + cta),
      expects: 'clean',
    }),
  ],
};

const gridBarrier = kernel(
  { name: 'gridBarrier', use: { lsa }, params },
  ({ lsa, waitUntil, blockIdx, gridDim, u32 }, { inbox, out }) => {
    const words = lsa.localPointer(inbox, u32, 0);
    words.store(1 + blockIdx.x, 5 + blockIdx.x);
    words.atomicAdd(0, 1, 'acq_rel', 'device');
    waitUntil(() => words.load(0, 'acquire', 'device') === gridDim.x);
    lsa.localPointer(out, u32, 0).store(blockIdx.x, words.load(gridDim.x - blockIdx.x));
  },
);

export const coResidency: BugClass = {
  id: 'L15',
  title: 'CTAs wait for CTAs that do not fit on the device',
  programs: [
    bugProgram({
      name: 'L15/room-for-one',
      ranks: 1,
      residentCtas: 1,
      launches: [{ kernel: gridBarrier, grid: 2 }],
      expects: { kind: 'deadlock', lines: ['waitUntil('], ranks: [0] },
    }),
    bugProgram({
      name: 'L15/room-for-both',
      ranks: 1,
      residentCtas: 2,
      launches: [{ kernel: gridBarrier, grid: 2 }],
      result: () => [6, 5],
      expects: 'clean',
    }),
  ],
};

const passOn = (FIRST_SENDS: boolean): BugKernel =>
  kernel(
    { name: `passOn_${FIRST_SENDS}`, use: { lsa, FIRST_SENDS }, params },
    ({ lsa, FIRST_SENDS, waitUntil, u32 }, { comm, inbox, out }) => {
      const mine = lsa.localPointer(inbox, u32, 0);
      const next = lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
      const isFirst = FIRST_SENDS && comm.lsaRank === 0;
      if (isFirst) next.store(0, 1, 'release');
      waitUntil(() => mine.load(0, 'acquire') !== 0);
      const carried = mine.load(0, 'relaxed');
      if (!isFirst) next.store(0, carried + 1, 'release');
      lsa.localPointer(out, u32, 0).store(0, carried);
    },
  );

/**
 * Each thread signals and waits, one peer after the other. With one thread for two peers, the ranks
 * wait in a ring.
 */
const ginBarrier = kernel({ name: 'ginBarrier', use: { gin }, params }, ({ gin, coopCta }, { comm }) => {
  const bar = gin.barrierSession(coopCta(), gin.context(comm, 0), 'world', 0);
  bar.sync(coopCta(), 'acq_rel', 'none');
});

export const cyclicWait: BugClass = {
  id: 'L16',
  title: 'every rank waits for the previous one',
  programs: [
    bugProgram({
      name: 'L16/nobody-begins',
      ranks: 3,
      launches: [{ kernel: passOn(false) }],
      expects: { kind: 'deadlock', lines: ['waitUntil('], ranks: [0, 1, 2] },
    }),
    bugProgram({
      name: 'L16/first-begins',
      ranks: 3,
      launches: [{ kernel: passOn(true) }],
      result: (rank) => [rank === 0 ? 3 : rank],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L16/one-thread-for-two-peers',
      ranks: 3,
      requirements: { ginConnectionType: 'full', worldGinBarrierCount: 1 },
      launches: [{ kernel: ginBarrier }],
      // The simulator reports it at the call, before any thread waits.
      expects: { kind: 'misuse', lines: ['bar.sync('] },
    }),
    bugProgram({
      name: 'L16/two-threads-for-two-peers',
      ranks: 3,
      requirements: { ginConnectionType: 'full', worldGinBarrierCount: 1 },
      launches: [{ kernel: ginBarrier, block: 2 }],
      expects: 'clean',
    }),
  ],
};
