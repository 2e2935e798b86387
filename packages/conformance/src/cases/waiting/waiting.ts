import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, ptr, u32 } from '@nccl-ts/kernel';
import { getLsaDevicePointer } from '@nccl-ts/communicator';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';

const params = { comm: devComm, win: window, rounds: u32 };

const pingPongKernel = kernel(
  { name: 'pingPong', use: { lsa }, params },
  ({ lsa, waitUntil, coopCta, threadIdx, blockIdx, u32 }, { comm, win, rounds }) => {
    // Each CTA has its own token.
    const own = blockIdx.x;
    const mine = lsa.localPointer(win, u32, own * 8);
    const next = lsa.pointer(win, u32, own * 8, (comm.lsaRank + 1) % comm.lsaSize);
    for (let round = u32(1); round <= rounds; round++) {
      // The token travels around the ring, starting at the first rank.
      const awaited = comm.lsaRank === 0 ? round - 1 : round;
      waitUntil(() => mine.load(0, 'acquire') >= awaited);
      const carried = mine.load(1);
      coopCta().sync();
      if (threadIdx.x === 0) {
        next.store(1, carried + u32(comm.lsaRank) + own + 1);
        next.store(0, round, 'release');
      }
      coopCta().sync();
    }
  },
);

export const pingPong: Case<'waiting/token-ring'> = defineCase({
  id: 'waiting/token-ring',
  mirrors: 'a uniform spin on a flag that a peer stores with release order',
  ranks: [1, 2, 3, 4, 8],
  kernels: [pingPongKernel],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const rounds = 5;
      const ctas = 2;
      const win = await comm.allocWindow('u32', 2 * ctas);
      const dev = await comm.createDevComm();
      await comm.launch(pingPongKernel, { grid: ctas, block: 32 }, { comm: dev, win, rounds });
      await meet(comm);
      const carried = (cta: number): number => {
        const perRound = (lsaSize * (lsaSize + 1)) / 2 + lsaSize * cta;
        const before = (comm.lsaRank * (comm.lsaRank + 1)) / 2 + comm.lsaRank * cta;
        return comm.lsaRank === 0 ? rounds * perRound : (rounds - 1) * perRound + before;
      };
      const expected = count(ctas).flatMap((cta) => [rounds, carried(cta)]);
      expectValues(`rank ${comm.rank}`, await win.read(), expected);
    });
  },
});

const chainKernel = kernel(
  { name: 'threadChain', use: { lsa }, params: { win: window, n: u32 } },
  ({ lsa, waitUntil, threadIdx, blockIdx, u32 }, { win, n }) => {
    // Each CTA has its own chain.
    const flags = lsa.localPointer(win, u32, 0).offset(blockIdx.x * n);
    const i = threadIdx.x;
    // Thread i waits for the next thread, and the last thread waits for none.
    if (i + 1 < n) waitUntil(() => flags.load(i + 1, 'acquire') !== 0);
    flags.store(i, i + 1 < n ? flags.load(i + 1, 'relaxed') + i : 1000 + blockIdx.x, 'release');
  },
);

export const perThread: Case<'waiting/per-thread'> = defineCase({
  id: 'waiting/per-thread',
  mirrors: 'threads of one CTA that wait for one another in turn',
  requires: { divergentWaits: true },
  ranks: [1, 2],
  kernels: [chainKernel],
  run: async ({ run }) => {
    await run(async (comm) => {
      const ctas = 2;
      // More than a warp.
      const n = 35;
      const win = await comm.allocWindow('u32', ctas * n);
      await comm.launch(chainKernel, { grid: ctas, block: n }, { win, n });
      const expected = count(ctas).flatMap((cta) =>
        count(n).map((i) => count(n - 1).reduce((sum, k) => (k >= i ? sum + k : sum), 1000 + cta)),
      );
      expectValues('flags', await win.read(), expected);
    });
  },
});

const ctaChainKernel = kernel(
  { name: 'ctaChain', use: { lsa }, params: { win: window } },
  ({ lsa, waitUntil, threadIdx, blockIdx, gridDim, coopCta, u32 }, { win }) => {
    const flags = lsa.localPointer(win, u32, 0);
    const b = blockIdx.x;
    // From the last CTA to the first, so that any CTA that runs first must let the others run.
    if (b + 1 < gridDim.x) waitUntil(() => flags.load(2 * (b + 1), 'acquire') === 1);
    coopCta().sync();
    const carried = b + 1 < gridDim.x ? flags.load(2 * (b + 1) + 1) : u32(7);
    if (threadIdx.x === 0) {
      flags.store(2 * b + 1, carried * 3 + b);
      flags.store(2 * b, 1, 'release');
    }
  },
);

export const ctaChain: Case<'waiting/cta-chain'> = defineCase({
  id: 'waiting/cta-chain',
  mirrors: 'CTAs of one grid that wait for one another, all resident',
  ranks: [1, 2],
  kernels: [ctaChainKernel],
  run: async ({ run }) => {
    await run(async (comm) => {
      const ctas = 12;
      const win = await comm.allocWindow('u32', 2 * ctas);
      await comm.launch(ctaChainKernel, { grid: ctas, block: 64 }, { win });
      let carried = 7;
      const expected = count(ctas)
        .toReversed()
        .flatMap((b) => {
          carried = (Math.imul(carried, 3) + b) >>> 0;
          return [carried, 1];
        });
      expectValues('flags', await win.read(), expected.toReversed());
    });
  },
});

const spinKernel = kernel(
  { name: 'spinLoops', use: { lsa }, params },
  ({ lsa, threadIdx, blockIdx, coopCta, u32 }, { comm, win, rounds }) => {
    // Each CTA has its own flags and results.
    const first = blockIdx.x * 96;
    const mine = lsa.localPointer(win, u32, first);
    const next = lsa.pointer(win, u32, first, (comm.lsaRank + 1) % comm.lsaSize);
    // The same wait in several common forms.
    if (threadIdx.x === 0) next.store(0, rounds, 'release');
    while (mine.load(0, 'acquire') !== rounds);
    coopCta().sync();
    if (threadIdx.x === 0) next.store(1, rounds + 1, 'release');
    while (mine.load(1, 'acquire') < rounds) {}
    coopCta().sync();
    if (threadIdx.x === 0) next.store(2, rounds + 2, 'release');
    for (;;) {
      const seen = mine.load(2, 'acquire');
      if (seen > rounds) break;
    }
    coopCta().sync();
    if (threadIdx.x === 0) next.store(3, rounds + 3, 'release');
    let last = u32(0);
    do last = mine.load(3, 'acquire');
    while (last === 0);
    coopCta().sync();
    if (threadIdx.x === 0) next.store(4, rounds + 4, 'release');
    for (; !(mine.load(4, 'acquire') > 0););
    mine.store(8 + threadIdx.x, last);
  },
);

export const spinLoops: Case<'waiting/spin-loops'> = defineCase({
  id: 'waiting/spin-loops',
  mirrors: 'while (*flag != x); and its other spellings',
  ranks: [1, 2, 4],
  kernels: [spinKernel],
  run: async ({ run }) => {
    await run(async (comm) => {
      const ctas = 2;
      const block = 16;
      const win = await comm.allocWindow('u32', ctas * (8 + block));
      const dev = await comm.createDevComm();
      await comm.launch(spinKernel, { grid: ctas, block }, { comm: dev, win, rounds: 9 });
      await meet(comm);
      const expected = count(ctas).flatMap(() => [9, 10, 11, 12, 13, 0, 0, 0, ...count(block).map(() => 12)]);
      expectValues('flags', await win.read(), expected);
    });
  },
});

const conditionKernel = kernel(
  { name: 'waitConditions', use: { lsa }, params: { comm: devComm, win: window, flag: ptr(u32) } },
  ({ lsa, waitUntil, threadIdx, blockIdx, coopCta, u32 }, { comm, win, flag }) => {
    // Each CTA has its own part of the window.
    const first = blockIdx.x * 128;
    const own = blockIdx.x * 32;
    const mine = lsa.localPointer(win, u32, first);
    const size = u32(comm.lsaSize);
    for (let i = 0; i < comm.lsaSize; i++) {
      if (threadIdx.x === 0) lsa.pointer(win, u32, first, i).store(comm.lsaRank, u32(comm.lsaRank) * 2 + 1, 'release');
    }
    // Several loads, a local value, and a sequence of dependent loads.
    let least = u32(1);
    waitUntil(() => mine.load(0, 'acquire') >= least && mine.load(size - 1, 'acquire') === 2 * size - 1);
    least = 3;
    const all = (n: number) => mine.load(n, 'acquire') !== 0;
    for (let i = u32(0); i < size; i++) waitUntil(() => all(i));
    // True immediately.
    waitUntil(() => mine.load(0, 'relaxed') + least > 3);
    waitUntil(() => {
      const at = mine.load(0, 'acquire') - 1;
      return mine.load(at, 'acquire') === 1;
    });
    coopCta().sync();
    if (threadIdx.x === 0) flag.store(own, 5, 'release');
    waitUntil(() => {
      const seen = mine.load(8, 'acquire');
      return seen === 5 || seen === 6;
    });
    // Through a device pointer to this rank's own word 8 of the first CTA's part. Only the second
    // condition is true.
    waitUntil(() => mine.load(8, 'acquire') === 6 || flag.load(own, 'acquire') === 5);
    mine.store(16 + threadIdx.x, least);
  },
);

export const conditions: Case<'waiting/conditions'> = defineCase({
  id: 'waiting/conditions',
  mirrors: 'conditions of several loads, on windows and device pointers',
  ranks: [1, 2, 4],
  kernels: [conditionKernel],
  run: async ({ run }) => {
    await run(async (comm) => {
      const ctas = 2;
      const block = 16;
      const win = await comm.allocWindow('u32', 32 * ctas);
      const dev = await comm.createDevComm();
      const flag = getLsaDevicePointer(win, 32, comm.lsaRank);
      if (flag === null) throw new Error('A rank cannot reach itself.');
      await comm.launch(conditionKernel, { grid: ctas, block }, { comm: dev, win, flag });
      const words = await win.read();
      for (const cta of count(ctas)) {
        expectValues(
          `the values received in CTA ${cta}`,
          words.subarray(32 * cta + 16, 32 * cta + 32),
          count(block).map(() => 3),
        );
      }
    });
  },
});

const allKernel = kernel(
  { name: 'waitForAll', use: { lsa }, params },
  ({ lsa, coopCta, coopWarp, threadIdx, blockIdx, u32 }, { comm, win, rounds }) => {
    // Each CTA has its own part of the window.
    const first = blockIdx.x * 512;
    const mine = lsa.localPointer(win, u32, first);
    const size = u32(comm.lsaSize);
    const flag = u32(comm.lsaRank) * 4;
    for (let round = u32(1); round <= rounds; round++) {
      // Thread i signals to rank i. Then the threads share the waits for all ranks.
      if (threadIdx.x < size) lsa.pointer(win, u32, first, threadIdx.x).store(flag, round * 10, 'release');
      coopCta().waitAll(size, (i) => mine.load(i * 4, 'acquire') >= round * 10);
      coopCta().sync();
      if (threadIdx.x < size) lsa.pointer(win, u32, first, threadIdx.x).store(flag + 1, round * 10, 'release');
      coopWarp().waitAll(size, (i) => mine.load(i * 4 + 1, 'acquire') >= round * 10);
      coopCta().sync();
    }
    coopCta().waitAll(0, (i) => mine.load(i, 'acquire') === 12345);
    mine.store(64 + threadIdx.x, mine.load((threadIdx.x % size) * 4));
  },
);

export const waitAll: Case<'waiting/wait-all'> = defineCase({
  id: 'waiting/wait-all',
  mirrors: 'a group that waits for several flags, the form that barriers use',
  requires: { subgroups: true },
  ranks: [1, 2, 4, 8],
  kernels: [allKernel],
  run: async ({ run }) => {
    await run(async (comm) => {
      const ctas = 2;
      const win = await comm.allocWindow('u32', 128 * ctas);
      const dev = await comm.createDevComm();
      await comm.launch(allKernel, { grid: ctas, block: 64 }, { comm: dev, win, rounds: 3 });
      const words = await win.read();
      for (const cta of count(ctas)) {
        expectValues(
          `flags seen by CTA ${cta}`,
          words.subarray(128 * cta + 64, 128 * cta + 128),
          count(64).map(() => 30),
        );
      }
    });
  },
});

const lockKernel = kernel(
  { name: 'spinLock', use: { lsa }, params: { win: window } },
  ({ lsa, threadIdx, blockIdx, blockDim, coopCta, sharedArray, u32 }, { win }) => {
    const words = lsa.pointer(win, u32, 0, 0);
    const had = sharedArray(u32, 1);
    if (threadIdx.x === 0) {
      // One thread of each CTA takes the lock, because threads of one warp would block each other.
      while (words.atomicCas(0, 0, 1, 'acquire') !== 0);
      const v = words.load(1);
      words.store(1, v * 2 + 1);
      words.store(2, words.load(2) + 1);
      had.store(0, 1);
      words.atomicExch(0, 0, 'release');
    }
    coopCta().sync();
    // The last thread is in another warp.
    if (threadIdx.x === blockDim.x - 1) lsa.localPointer(win, u32, 0).store(3 + blockIdx.x, had.load(0));
  },
);

export const spinLock: Case<'waiting/spin-lock'> = defineCase({
  id: 'waiting/spin-lock',
  mirrors: 'a lock by compare_exchange, which CTAs of all ranks take',
  requires: { divergentWaits: true },
  ranks: [1, 2, 4],
  kernels: [lockKernel],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const ctas = 5;
      const win = await comm.allocWindow('u32', 3 + ctas);
      await comm.launch(lockKernel, { grid: ctas, block: 64 }, { win });
      await meet(comm);
      const taken = ctas * ranks;
      const words = comm.lsaRank === 0 ? [0, 2 ** taken - 1, taken] : [0, 0, 0];
      expectValues('words', await win.read(), [...words, ...count(ctas).map(() => 1)]);
    });
  },
});

const streamsKernel = kernel(
  { name: 'acrossStreams', use: { lsa }, params: { win: window, role: u32 } },
  ({ lsa, waitUntil, threadIdx, blockIdx, u32 }, { win, role }) => {
    // Each CTA of one kernel signals to the same CTA of the other.
    const words = lsa.localPointer(win, u32, blockIdx.x * 32);
    if (role === 0) {
      waitUntil(() => words.load(0, 'acquire') === 3);
      words.store(4 + threadIdx.x, words.load(1) + threadIdx.x);
    } else if (threadIdx.x === 0) {
      words.store(1, 50 + blockIdx.x * 10);
      words.store(0, 3, 'release');
    }
  },
);

export const acrossStreams: Case<'waiting/across-streams'> = defineCase({
  id: 'waiting/across-streams',
  mirrors: 'kernels of two streams that run at the same time',
  ranks: [1, 2],
  kernels: [streamsKernel],
  run: async ({ run }) => {
    await run(async (comm) => {
      const shape = { grid: 2, block: 4 };
      const win = await comm.allocWindow('u32', 16);
      const other = await comm.createStream();
      await comm.launch(streamsKernel, shape, { win, role: 0 });
      await comm.launch(streamsKernel, { ...shape, stream: other }, { win, role: 1 });
      await comm.synchronize(other);
      const expected = [50, 60].flatMap((sent) => [3, sent, 0, 0, ...count(4, sent)]);
      expectValues('words', await win.read(), expected);
    });
  },
});
