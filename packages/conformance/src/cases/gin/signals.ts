import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { bytesOf, connect, ginRequires, strictlyOrdered } from './connect.ts';

const use = { gin, teamWorld, lsa };

const rolling = kernel(
  {
    name: 'rollingSignals',
    use,
    params: { comm: devComm, va: window, out: window, step: u64, bits: u32, steps: u32 },
  },
  (
    { gin, teamWorld, lsa, coopThread, fence, threadIdx, blockIdx, blockDim, u32, u64 },
    { comm, va, out, step, bits, steps },
  ) => {
    // Each CTA has a context. Each thread has two signals, a word for a signal at an address, and
    // its own results.
    const own = blockIdx.x * blockDim.x + threadIdx.x;
    const one = own * 2;
    const back = one + 1;
    const word = 8 + own * 8;
    const net = gin.context(comm, blockIdx.x);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    const seen = lsa.localPointer(out, u64, 0).offset(own * steps * 3);
    let least = u64(0);
    for (let i = u32(0); i < steps; i++) {
      least += step;
      net.signal(world, next, gin.strongSignalAdd(one, step));
      net.signal(world, next, gin.strongVASignalAdd(va, word, step));
      net.waitSignal(coopThread(), one, least, { bits });
      net.waitVASignal(coopThread(), va, word, least, { bits });
      seen.store(3 * i, net.readSignal(one));
      seen.store(3 * i + 1, net.readSignal(one, { bits }));
      seen.store(3 * i + 2, net.readVASignal(va, word, { bits, order: 'relaxed' }));
      // No rank sends the next signal before this one was read.
      fence('release', 'system');
      net.signal(world, (comm.rank + comm.nRanks - 1) % comm.nRanks, gin.weakSignalInc(back));
      net.waitSignal(coopThread(), back, i + 1);
      fence('release', 'system');
    }
  },
);

export const wrapAround: Case<'gin/signals/wrap-around'> = defineCase({
  id: 'gin/signals/wrap-around',
  mirrors: 'ncclGin::waitSignal and ::readSignal, of the low bits, which wrap around',
  requires: ginRequires,
  ranks: [1, 3],
  lsaSizes: [1],
  kernels: [rolling],
  run: async ({ run }) => {
    await run(async (comm) => {
      for (const [bits, step] of [
        [64, (1n << 62n) + 12345n],
        [32, (1n << 30n) + 7n],
        [8, 100n],
        [2, 1n],
        [1, 1n],
      ] as const) {
        const steps = 5;
        const threads = 4;
        const dev = await connect(comm, { ginSignalCount: 2 * threads, ginContextCount: 2 });
        const va = await comm.allocWindow('u64', 1 + threads, strictlyOrdered);
        const out = await comm.allocWindow('u64', 3 * steps * threads);
        await comm.launch(rolling, { grid: 2, block: 2 }, { comm: dev, va, out, step, bits, steps });
        const expected = count(threads).flatMap(() =>
          count(steps, 1).flatMap((n) => {
            const value = BigInt.asUintN(64, BigInt(n) * step);
            return [value, BigInt.asUintN(bits, value), BigInt.asUintN(bits, value)];
          }),
        );
        expectValues(`${bits} bits at rank ${comm.rank}`, await out.read(), expected);
        await meet(comm);
      }
    });
  },
});

const resetting = kernel(
  { name: 'resetSignals', use, params: { comm: devComm, va: window, out: window } },
  ({ gin, teamWorld, lsa, coopThread, threadIdx, blockIdx, blockDim, u64 }, { comm, va, out }) => {
    // Each thread has two signals, a word for a signal at an address, and its own results.
    const i = blockIdx.x * blockDim.x + threadIdx.x;
    const one = i * 2;
    const back = one + 1;
    const word = i * 8;
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    const previous = (comm.rank + comm.nRanks - 1) % comm.nRanks;
    const seen = lsa.localPointer(out, u64, 0).offset(i * 5);
    net.signal(world, next, gin.strongSignalInc(one));
    net.signal(world, next, gin.strongVASignalInc(va, word));
    net.waitSignal(coopThread(), one, 1);
    net.waitVASignal(coopThread(), va, word, 1);
    net.increaseSignalShadow(one, 9);
    net.resetSignal(one);
    net.resetVASignal(va, word);
    seen.store(0, net.readSignal(one));
    seen.store(1, net.readVASignal(va, word));
    seen.store(2, net.signalShadowPtr(one).load(0));
    // The previous rank may use another kind of change, now that the signals are 0.
    net.signal(world, previous, gin.weakSignalInc(back));
    net.waitSignal(coopThread(), back, 1);
    net.signal(world, next, gin.strongSignalAdd(one, 50 + i));
    net.signal(world, next, gin.strongVASignalAdd(va, word, 60 + i));
    net.waitSignal(coopThread(), one, 50 + i);
    net.waitVASignal(coopThread(), va, word, 60 + i);
    seen.store(3, net.readSignal(one));
    seen.store(4, net.readVASignal(va, word));
  },
);

export const reset: Case<'gin/signals/reset'> = defineCase({
  id: 'gin/signals/reset',
  mirrors: 'ncclGin::resetSignal, which sets the shadow to 0 as well',
  requires: ginRequires,
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [resetting],
  run: async ({ run }) => {
    await run(async (comm) => {
      const threads = 4;
      const dev = await connect(comm, { ginSignalCount: 2 * threads });
      const va = await comm.allocWindow('u64', threads, strictlyOrdered);
      const out = await comm.allocWindow('u64', 5 * threads);
      await comm.launch(resetting, { grid: 2, block: 2 }, { comm: dev, va, out });
      const expected = count(threads).flatMap((i) => [0n, 0n, 0n, 50n + BigInt(i), 60n + BigInt(i)]);
      expectValues(`rank ${comm.rank}`, await out.read(), expected);
    });
  },
});

const relaxedThenFence = kernel(
  { name: 'relaxedSignals', use, params: { comm: devComm, src: window, dst: window, out: window } },
  ({ gin, teamWorld, lsa, coopCta, fence, threadIdx, blockIdx, u32 }, { comm, src, dst, out }) => {
    const net = gin.context(comm, 0);
    const next = (comm.rank + 1) % comm.nRanks;
    // Each CTA has its own signal and its own part of each window.
    const own = blockIdx.x;
    const at = own * 128;
    if (threadIdx.x === 0) net.put(teamWorld(comm), next, dst, at, src, at, 128, gin.strongSignalInc(own));
    // This waits only for the number. The fence makes the data visible.
    net.waitSignal(coopCta(), own, 1, { order: 'relaxed' });
    fence('acquire', 'system');
    // One thread has read the number, so the others must synchronize with it.
    coopCta().sync();
    lsa.localPointer(out, u32, at).store(threadIdx.x, lsa.localPointer(dst, u32, at).load(threadIdx.x));
  },
);

export const relaxed: Case<'gin/signals/relaxed'> = defineCase({
  id: 'gin/signals/relaxed',
  mirrors: 'ncclGin::waitSignal with relaxed order, and a fence',
  requires: ginRequires,
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [relaxedThenFence],
  run: async ({ run, shape }) => {
    await run(async (comm) => {
      const [ctas, bytes] = [2, 256];
      const dev = await connect(comm, { ginSignalCount: ctas });
      const src = await comm.allocWindow('u8', bytes);
      const dst = await comm.allocWindow('u8', bytes);
      const out = await comm.allocWindow('u8', bytes);
      await src.write(bytesOf(comm.rank, bytes));
      await comm.launch(relaxedThenFence, { grid: ctas, block: 32 }, { comm: dev, src, dst, out });
      const from = (comm.rank + shape.ranks - 1) % shape.ranks;
      expectValues(`rank ${comm.rank}`, await out.read(), bytesOf(from, bytes));
    });
  },
});

const covering = kernel(
  { name: 'strongCovers', use, params: { comm: devComm, src: window, dst: window, rounds: u32 } },
  ({ gin, teamWorld, lsa, coopCta, threadIdx, blockIdx, blockDim, u8, u32 }, { comm, src, dst, rounds }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    const previous = (comm.rank + comm.nRanks - 1) % comm.nRanks;
    // Each CTA has three signals and its own part of each window.
    const strong = blockIdx.x * 3;
    const weak = strong + 1;
    const back = strong + 2;
    const first = blockIdx.x * 52;
    const from = lsa.localPointer(src, u8, first);
    for (let round = u32(0); round < rounds; round++) {
      for (let i = threadIdx.x; i < 52; i += blockDim.x) from.store(i, u8(u32(comm.rank) * 50 + round + first + i));
      coopCta().sync();
      // Many threads put with no signal or a weak one, and one strong signal follows.
      const to = (blockIdx.x * rounds + round) * 52;
      net.put(world, next, dst, to + threadIdx.x * 3, src, first + threadIdx.x * 3, 3);
      if (threadIdx.x === 0) {
        net.put(world, next, dst, to + 48, src, first + 48, 4, gin.weakSignalInc(weak), { aggregateRequests: true });
      }
      coopCta().sync();
      if (threadIdx.x === 1) net.signal(world, next, gin.strongSignalInc(strong));
      net.waitSignal(coopCta(), strong, round + 1);
      net.flush(coopCta());
      // The signal back shows that the previous one has been waited for.
      if (threadIdx.x === 0) net.signal(world, previous, gin.weakSignalInc(back));
      net.waitSignal(coopCta(), back, round + 1);
    }
  },
);

export const covers: Case<'gin/signals/strong-covers'> = defineCase({
  id: 'gin/signals/strong-covers',
  mirrors: 'strong signals, which cover all puts before them; ncclGinOptFlagsAggregateRequests',
  requires: { ...ginRequires, scalars: ['u64', 'u8'] },
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [covering],
  run: async ({ run, shape }) => {
    await run(async (comm) => {
      const rounds = 4;
      const ctas = 2;
      const dev = await connect(comm, { ginSignalCount: 3 * ctas });
      const src = await comm.allocWindow('u8', 52 * ctas);
      const dst = await comm.allocWindow('u8', 52 * ctas * rounds);
      await comm.launch(covering, { grid: ctas, block: 16 }, { comm: dev, src, dst, rounds });
      const from = (comm.rank + shape.ranks - 1) % shape.ranks;
      const expected = count(ctas).flatMap((cta) =>
        count(rounds).flatMap((round) => count(52, cta * 52).map((i) => (from * 50 + round + i) % 256)),
      );
      expectValues(`rank ${comm.rank}`, await dst.read(), expected);
    });
  },
});

const waitingByReads = kernel(
  { name: 'waitsByReads', use, params: { comm: devComm, va: window, src: window, dst: window, out: window } },
  ({ gin, teamWorld, lsa, waitUntil, coopThread, coopCta, threadIdx, blockIdx, u32 }, { comm, va, src, dst, out }) => {
    const net = gin.context(comm, blockIdx.x);
    const next = (comm.rank + 1) % comm.nRanks;
    const own = blockIdx.x;
    if (threadIdx.x === 0) {
      const counted = { localAction: gin.weakCounterInc(0) } as const;
      net.put(teamWorld(comm), next, dst, own * 16, src, own * 16, 4, gin.weakSignalInc(0), counted);
      net.put(teamWorld(comm), next, dst, own * 16 + 4, src, own * 16 + 4, 4, gin.weakSignalInc(1));
      net.put(teamWorld(comm), next, dst, own * 16 + 8, src, own * 16 + 8, 4, gin.weakVASignalInc(va, own * 8));
      net.put(teamWorld(comm), next, dst, own * 16 + 12, src, own * 16 + 12, 4, gin.weakSignalInc(2));
      // Spins on a signal in each round, on two signals, on one at an address, on one in a separate
      // loop, and on a counter.
      waitUntil(() => net.readSignal(0) >= 1 && net.readSignal(1, { bits: 32 }) >= 1);
      waitUntil(() => net.readVASignal(va, own * 8) === 1);
      while (net.readSignal(2) < 1) {}
      waitUntil(() => net.readCounter(0) >= 1);
      net.flush(coopThread());
    }
    coopCta().sync();
    const seen = lsa.localPointer(dst, u32, own * 16).load(threadIdx.x);
    lsa.localPointer(out, u32, own * 16).store(threadIdx.x, seen);
  },
);

export const byReading: Case<'gin/signals/wait-by-reading'> = defineCase({
  id: 'gin/signals/wait-by-reading',
  mirrors: 'ncclGin::readSignal and ::readCounter in a spin',
  requires: ginRequires,
  ranks: [1, 3],
  lsaSizes: [1],
  kernels: [waitingByReads],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const ctas = 2;
      const dev = await connect(comm, { ginSignalCount: 3, ginCounterCount: 1, ginContextCount: ctas });
      const va = await comm.allocWindow('u64', ctas, strictlyOrdered);
      const [src, dst, out] = [
        await comm.allocWindow('u8', 16 * ctas),
        await comm.allocWindow('u8', 16 * ctas),
        await comm.allocWindow('u8', 16 * ctas),
      ];
      await src.write(bytesOf(comm.rank, 16 * ctas));
      await meet(comm);
      await comm.launch(waitingByReads, { grid: ctas, block: 4 }, { comm: dev, va, src, dst, out });
      const from = (comm.rank + ranks - 1) % ranks;
      expectValues(`rank ${comm.rank}`, await out.read(), bytesOf(from, 16 * ctas));
    });
  },
});
