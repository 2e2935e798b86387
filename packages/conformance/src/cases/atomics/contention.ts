import { at } from '@nccl-ts/core';
import { devComm, window } from '@nccl-ts/devcomm';
import { i32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';

/** Word 0 of the first rank of a domain is the counter of all its ranks. */
const ticketKernel = kernel(
  { name: 'takeTickets', use: { lsa }, params: { win: window, taken: window } },
  ({ lsa, threadIdx, blockIdx, blockDim, u32 }, { win, taken }) => {
    const shared = lsa.pointer(win, u32, 0, 0);
    const mine = lsa.localPointer(taken, u32, 0);
    mine.store(threadIdx.x + blockIdx.x * blockDim.x, shared.atomicAdd(0, 1, 'relaxed'));
  },
);

const shapes = { ranks: [1, 2, 4], lsaSizes: [1, 2, 4] };
const grid = 4;
const block = 48;
const threads = grid * block;

export const tickets: Case<'atomics/tickets'> = defineCase({
  id: 'atomics/tickets',
  results: 'order',
  mirrors: 'atomicAdd from many threads, CTAs and ranks: each gets a different value',
  ...shapes,
  kernels: [ticketKernel],
  run: async ({ run, shape: { ranks, lsaSize } }) => {
    const taken = await run(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      const own = await comm.allocWindow('u32', threads);
      await comm.launch(ticketKernel, { grid, block }, { win, taken: own });
      await meet(comm);
      return own.read();
    });
    for (let base = 0; base < ranks; base += lsaSize) {
      const all = taken.slice(base, base + lsaSize).flatMap((one) => [...one]);
      expectValues(
        `tickets of the domain that begins at rank ${base}`,
        all.sort((a, b) => a - b),
        count(lsaSize * threads),
      );
    }
  },
});

const foldKernel = kernel(
  { name: 'foldEverything', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, threadIdx, blockIdx, blockDim, u32, i32, f32 }, { comm, win }) => {
    const id = u32(comm.lsaRank) * 192 + blockIdx.x * blockDim.x + threadIdx.x;
    const words = lsa.pointer(win, u32, 0, 0);
    const signed = lsa.pointer(win, i32, 0, 0);
    const floats = lsa.pointer(win, f32, 0, 0);
    words.atomicAdd(0, id, 'relaxed');
    signed.atomicMin(1, -i32(id % 101), 'relaxed', 'system');
    signed.atomicMax(2, i32(id % 97) - 200, 'relaxed');
    words.atomicOr(3, u32(1) << (id % 32), 'relaxed');
    words.atomicAnd(4, ~(u32(1) << (id % 31)), 'relaxed');
    words.atomicXor(5, id * 2654435761, 'relaxed');
    // Small whole numbers, whose sums are exact in any order.
    floats.atomicAdd(6, f32(id % 8), 'relaxed');
    words.atomicSub(7, 3, 'relaxed');
  },
);

export const folded: Case<'atomics/contended'> = defineCase({
  id: 'atomics/contended',
  mirrors: 'read-modify-writes of one word by many threads',
  ...shapes,
  kernels: [foldKernel],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', 8);
      if (comm.lsaRank === 0) await win.write([0, 1000, 0xfffff000, 0, 0xffffffff, 0, 0, 100000]);
      const dev = await comm.createDevComm();
      await comm.launch(foldKernel, { grid, block }, { comm: dev, win });
      await meet(comm);
      if (comm.lsaRank !== 0) {
        expectValues(
          'a window without any access',
          await win.read(),
          count(8).map(() => 0),
        );
        return;
      }
      const ids = count(lsaSize * threads);
      const sum = (f: (id: number) => number): number => ids.reduce((total, id) => total + f(id), 0);
      const floats = new Uint32Array(new Float32Array([sum((id) => id % 8)]).buffer);
      expectValues('word by word', await win.read(), [
        sum((id) => id),
        (2 ** 32 - Math.max(...ids.map((id) => id % 101))) % 2 ** 32,
        2 ** 32 + Math.max(...ids.map((id) => id % 97)) - 200,
        0xffffffff,
        0x80000000,
        ids.reduce((mixed, id) => (mixed ^ Math.imul(id, 2654435761)) >>> 0, 0),
        at(floats, 0),
        100000 - 3 * ids.length,
      ]);
    });
  },
});

const casKernel = kernel(
  { name: 'compareAndSwapLoop', use: { lsa }, params: { win: window } },
  ({ lsa, threadIdx, u32 }, { win }) => {
    const words = lsa.pointer(win, u32, 0, 0);
    // An update that is not one addition: x becomes 3 x + 1.
    let seen = words.load(threadIdx.x % 4, 'relaxed');
    for (;;) {
      const before = words.atomicCas(threadIdx.x % 4, seen, seen * 3 + 1, 'acq_rel');
      if (before === seen) break;
      seen = before;
    }
  },
);

export const casLoop: Case<'atomics/cas-loop'> = defineCase({
  id: 'atomics/cas-loop',
  mirrors: 'compare_exchange in a loop',
  ...shapes,
  kernels: [casKernel],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      await comm.launch(casKernel, { grid: 2, block: 16 }, { win });
      await meet(comm);
      const steps = count((2 * 16 * lsaSize) / 4);
      const value = steps.reduce((x) => (Math.imul(x, 3) + 1) >>> 0, 0);
      expectValues(
        'words',
        await win.read(),
        count(4).map(() => (comm.lsaRank === 0 ? value : 0)),
      );
    });
  },
});

const sharedKernel = kernel(
  { name: 'sharedHistogram', use: { lsa }, params: { win: window, n: u32, shift: i32 } },
  ({ lsa, threadIdx, blockIdx, blockDim, coopCta, sharedArray, u32 }, { win, n, shift }) => {
    const bins = sharedArray(u32, 16);
    if (threadIdx.x < 16) bins.store(threadIdx.x, 0);
    coopCta().sync();
    for (let i = threadIdx.x; i < n; i += blockDim.x)
      bins.atomicAdd(((i * i) >> u32(shift)) % 16, 1, 'relaxed', 'block');
    coopCta().sync();
    if (threadIdx.x < 16) lsa.localPointer(win, u32, 0).store(blockIdx.x * 16 + threadIdx.x, bins.load(threadIdx.x));
  },
);

export const sharedMemory: Case<'atomics/shared-memory'> = defineCase({
  id: 'atomics/shared-memory',
  mirrors: 'atomics on __shared__ memory',
  ranks: [1, 2],
  kernels: [sharedKernel],
  run: async ({ run }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', 32);
      await comm.launch(sharedKernel, { grid: 2, block: 64 }, { win, n: 500, shift: 3 });
      const bins = count(16).map((bin) => count(500).filter((i) => ((i * i) >> 3) % 16 === bin).length);
      expectValues('bins of both CTAs', await win.read(), [...bins, ...bins]);
    });
  },
});
