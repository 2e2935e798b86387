import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { bytesOf, connect, ginRequires } from './connect.ts';

const use = { gin, teamWorld, lsa };

const flushing = kernel(
  { name: 'flushes', use, params: { comm: devComm, src: window, dst: window, rounds: u32 } },
  ({ gin, teamWorld, lsa, coopCta, coopWarp, threadIdx, blockIdx, u32 }, { comm, src, dst, rounds }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const ranks = u32(comm.nRanks);
    // Each CTA has its own signal and source.
    const own = blockIdx.x;
    const from = lsa.localPointer(src, u32, own * 256);
    for (let round = u32(0); round < rounds; round++) {
      from.store(threadIdx.x, u32(comm.rank) * 10000 + round * 1000 + own * 100 + threadIdx.x);
      coopCta().sync();
      // Every second thread puts, each to another rank. A flush of the group covers the requests of
      // all of them.
      const at = ((own * rounds + round) * ranks + u32(comm.rank)) * 256 + threadIdx.x * 4;
      if ((threadIdx.x + round) % 2 === 0) {
        const peer = (threadIdx.x / 2) % ranks;
        net.put(world, peer, dst, at, src, own * 256 + threadIdx.x * 4, 4, gin.weakSignalInc(own));
      }
      if (round % 2 === 0) net.flush(coopCta());
      else {
        net.flush(coopWarp(), 'relaxed');
        coopCta().sync();
      }
    }
    from.store(threadIdx.x, 1);
    net.waitSignal(coopCta(), own, rounds * 32);
  },
);

export const sourceReuse: Case<'gin/flush/source-reuse'> = defineCase({
  id: 'gin/flush/source-reuse',
  mirrors: 'ncclGin::flush of a CTA and of warps',
  requires: ginRequires,
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [flushing],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      // One flush of the CTA and one of each warp.
      const rounds = 2;
      const ctas = 2;
      const dev = await connect(comm, { ginSignalCount: ctas });
      const src = await comm.allocWindow('u32', 64 * ctas);
      const dst = await comm.allocWindow('u32', 64 * rounds * ranks * ctas);
      await comm.launch(flushing, { grid: ctas, block: 64 }, { comm: dev, src, dst, rounds });
      const expected = count(ctas).flatMap((cta) =>
        count(rounds).flatMap((round) =>
          count(ranks).flatMap((from) =>
            count(64).map((i) => {
              const isPut = (i + round) % 2 === 0 && Math.floor(i / 2) % ranks === comm.rank;
              return isPut ? from * 10000 + round * 1000 + cta * 100 + i : 0;
            }),
          ),
        ),
      );
      expectValues(`rank ${comm.rank}`, await dst.read(), expected);
    });
  },
});

const async = kernel(
  { name: 'flushesAsync', use, params: { comm: devComm, src: window, dst: window, out: window } },
  ({ gin, teamWorld, lsa, coopThread, threadIdx, blockIdx, blockDim, u8 }, { comm, src, dst, out }) => {
    // Each thread has its own context and its own part of each window. On a shared context, other
    // threads would release this thread's deferred requests.
    const i = blockIdx.x * blockDim.x + threadIdx.x;
    const from = i * 80;
    const to = i * 40;
    const place = i * 32;
    const net = gin.context(comm, i);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    const previous = (comm.rank + comm.nRanks - 1) % comm.nRanks;
    // This request may be deferred until the flush.
    net.put(world, next, dst, to, src, from, 40, gin.weakSignalInc(0), { aggregateRequests: true });
    net.get(world, previous, src, from + 50, out, place, 30);
    const put = net.flushAsync(world, next);
    const got = net.flushAsync(world, previous);
    // They end in another order than they began, and one of them twice.
    net.wait(got);
    net.wait(put, 'relaxed');
    net.wait(got);
    const overwritten = lsa.localPointer(src, u8, from);
    for (let k = 0; k < 40; k++) overwritten.store(k, 0);
    const gotten = lsa.localPointer(out, u8, place);
    gotten.store(30, gotten.load(29));
    net.waitSignal(coopThread(), 0, 1);
  },
);

export const asynchronous: Case<'gin/flush/async'> = defineCase({
  id: 'gin/flush/async',
  mirrors: 'ncclGin::flushAsync, ::wait; ncclGinOptFlagsAggregateRequests',
  requires: { ...ginRequires, scalars: ['u64', 'u8'], divergentWaits: true },
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [async],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const threads = 4;
      const dev = await connect(comm, { ginSignalCount: 1, ginContextCount: threads });
      const src = await comm.allocWindow('u8', 80 * threads);
      const dst = await comm.allocWindow('u8', 40 * threads);
      const out = await comm.allocWindow('u8', 32 * threads);
      await src.write(bytesOf(comm.rank, 80 * threads));
      await meet(comm);
      await comm.launch(async, { grid: 2, block: 2 }, { comm: dev, src, dst, out });
      const previous = (comm.rank + ranks - 1) % ranks;
      const there = bytesOf(previous, 80 * threads);
      const put = count(threads).flatMap((i) => [...there.subarray(80 * i, 80 * i + 40)]);
      expectValues(`put to rank ${comm.rank}`, await dst.read(), put);
      const got = count(threads).flatMap((i) => {
        const part = there.subarray(80 * i + 50, 80 * i + 80);
        return [...part, ...part.subarray(29), 0];
      });
      expectValues(`got by rank ${comm.rank}`, await out.read(), got);
      await meet(comm);
    });
  },
});

const crowding = kernel(
  { name: 'crowds', use, params: { comm: devComm, src: window, dst: window, puts: u32 } },
  ({ gin, teamWorld, coopCta, threadIdx, blockIdx, blockDim, gridDim, u32 }, { comm, src, dst, puts }) => {
    const net = gin.context(comm, 0);
    const next = (comm.rank + 1) % comm.nRanks;
    // The CTAs share the queue. Each has its own part of the data and its own signal.
    const own = blockIdx.x;
    const share = puts / gridDim.x;
    for (let i = own * share + threadIdx.x; i < (own + 1) * share; i += blockDim.x) {
      const held = i % 5 !== 4;
      if (held) net.put(teamWorld(comm), next, dst, i * 12, src, i * 12, 12, undefined, { aggregateRequests: true });
      else if (i % 2 === 0) net.put(teamWorld(comm), next, dst, i * 12, src, i * 12, 12);
      else net.get(teamWorld(comm), comm.rank, src, i * 12, dst, (u32(i) + puts) * 12, 12);
    }
    coopCta().sync();
    if (threadIdx.x === 0) net.signal(teamWorld(comm), next, gin.strongSignalInc(own));
    net.waitSignal(coopCta(), own, 1);
    net.flush(coopCta());
  },
);

export const queueDepth: Case<'gin/flush/queue-depth'> = defineCase({
  id: 'gin/flush/queue-depth',
  mirrors: 'ginQueueDepth: more requests than a queue holds wait for room',
  requires: ginRequires,
  ranks: [1, 2],
  lsaSizes: [1, 2],
  kernels: [crowding],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const puts = 90;
      const ctas = 2;
      for (const ginQueueDepth of [1, 2, 7, 0]) {
        const dev = await connect(comm, { ginSignalCount: ctas, ginQueueDepth });
        const src = await comm.allocWindow('u8', puts * 12);
        const dst = await comm.allocWindow('u8', puts * 24);
        await src.write(bytesOf(comm.rank, puts * 12));
        await meet(comm);
        await comm.launch(crowding, { grid: ctas, block: 16 }, { comm: dev, src, dst, puts });
        const previous = (comm.rank + ranks - 1) % ranks;
        const isGot = (i: number): boolean => i % 5 === 4 && i % 2 === 1;
        const part = (rank: number, i: number): readonly number[] => [
          ...bytesOf(rank, puts * 12).subarray(i * 12, i * 12 + 12),
        ];
        const nothing = count(12).map(() => 0);
        const expected = [
          ...count(puts).flatMap((i) => (isGot(i) ? nothing : part(previous, i))),
          ...count(puts).flatMap((i) => (isGot(i) ? part(comm.rank, i) : nothing)),
        ];
        expectValues(`depth ${ginQueueDepth} at rank ${comm.rank}`, await dst.read(), expected);
        await meet(comm);
      }
    });
  },
});
