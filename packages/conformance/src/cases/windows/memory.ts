import { at } from '@nccl-ts/core';
import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectSame, expectThat, expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count, scrambled } from '../fixture/numbers.ts';

const combine = kernel(
  { name: 'combineWindows', use: { lsa }, params: { a: window, b: window, c: window } },
  ({ lsa, threadIdx, u32 }, { a, b, c }) => {
    const x = lsa.localPointer(a, u32, 0).load(threadIdx.x);
    const y = lsa.localPointer(b, u32, 0).load(threadIdx.x);
    lsa.localPointer(c, u32, 0).store(threadIdx.x, x * 3 + y);
  },
);

export const severalWindows: Case<'windows/several'> = defineCase({
  id: 'windows/several',
  mirrors: 'ncclCommWindowRegister',
  ranks: [2],
  kernels: [combine],
  run: async ({ run }) => {
    await run(async (comm) => {
      const [a, b, c] = await Promise.all([
        comm.allocWindow('u32', 16),
        comm.allocWindow('u32', 16),
        comm.allocWindow('u32', 16),
      ]);
      await a.write(count(16, 100 * comm.rank));
      await b.write(count(16, 7));
      await comm.launch(combine, { grid: 1, block: 16 }, { a, b, c });
      expectValues(
        'c',
        await c.read(),
        count(16).map((i) => (100 * comm.rank + i) * 3 + 7 + i),
      );
      // The same window twice, and another order.
      await comm.launch(combine, { grid: 1, block: 16 }, { a: b, b, c: a });
      expectValues(
        'a',
        await a.read(),
        count(16).map((i) => (7 + i) * 4),
      );
      expectValues('b', await b.read(), count(16, 7));
    });
  },
});

const fill = kernel(
  { name: 'fillWindow', use: { lsa }, params: { win: window, n: u32, value: u32 } },
  ({ lsa, threadIdx, blockDim, u32 }, { win, n, value }) => {
    const p = lsa.localPointer(win, u32, 0);
    for (let i = threadIdx.x; i < n; i += blockDim.x) p.store(i, value);
  },
);

export const isolation: Case<'windows/isolation'> = defineCase({
  id: 'windows/isolation',
  mirrors: 'ncclCommWindowRegister',
  ranks: [1, 2],
  kernels: [fill],
  run: async ({ run }) => {
    await run(async (comm) => {
      // Sizes that fill whole pages.
      const sizes = [1, 3, 1024, 1025];
      const windows = [];
      for (const size of sizes) windows.push(await comm.allocWindow('u32', size));
      for (const [i, win] of windows.entries()) {
        await comm.launch(fill, { grid: 1, block: 64 }, { win, n: at(sizes, i), value: 10 * comm.rank + i + 1 });
      }
      await meet(comm);
      for (const [i, win] of windows.entries()) {
        expectValues(
          `window ${i}`,
          await win.read(),
          count(at(sizes, i)).map(() => 10 * comm.rank + i + 1),
        );
      }
    });
  },
});

export const hostCopies: Case<'windows/host-copies'> = defineCase({
  id: 'windows/host-copies',
  mirrors: 'ncclMemAlloc, ncclCommWindowRegister',
  ranks: [2],
  kernels: [fill],
  run: async ({ run }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u8', 256);
      expectValues(
        'fresh memory',
        await win.read(),
        count(256).map(() => 0),
      );
      const bytes = scrambled(256, comm.rank + 1).map((v) => v % 256);
      await win.write(bytes);
      await win.write(new DataView(new Uint8Array([0x12, 0xef, 0xbe]).buffer, 1), 3);
      await win.write(new Uint8Array([1, 2, 3]).buffer, 253);
      const expected = [...bytes];
      expected.splice(3, 2, 0xef, 0xbe);
      expected.splice(253, 3, 1, 2, 3);
      expectValues('all', await win.read(), expected);
      expectValues('a part', await win.read(new Uint8Array(5), 2), expected.slice(2, 7));
      expectValues('a part as words', await win.read(new Uint16Array(2), 252), [
        at(expected, 253) * 256 + at(expected, 252),
        at(expected, 255) * 256 + at(expected, 254),
      ]);
    });
  },
});

export const registeredMemory: Case<'windows/registered-memory'> = defineCase({
  id: 'windows/registered-memory',
  mirrors: 'ncclMemAlloc, ncclCommWindowRegister, ncclCommWindowDeregister',
  ranks: [2],
  kernels: [fill],
  run: async ({ run }) => {
    await run(async (comm) => {
      const memory = await comm.memAlloc(4096);
      const win = await comm.registerWindow(memory, { type: 'u32' });
      if (win === null) throw new Error('The world has no symmetric memory.');
      expectSame('bytes', win.bytes, 4096);
      await comm.launch(fill, { grid: 1, block: 32 }, { win, n: 100, value: 5 + comm.rank });
      const expected = count(1024).map((i) => (i < 100 ? 5 + comm.rank : 0));
      expectValues('through the window', await win.read(), expected);
      await win.deregister();
      expectThat(!win.isOpen, 'A deregistered window is still open.');
      const bytes = await memory.read();
      expectValues('the memory after', new Uint32Array(bytes.buffer), expected);
      const again = await comm.registerWindow(memory, { type: 'u32' });
      if (again === null) throw new Error('The world has no symmetric memory.');
      await comm.launch(fill, { grid: 1, block: 32 }, { win: again, n: 1024, value: 1 });
      expectValues(
        'registered again',
        await again.read(),
        count(1024).map(() => 1),
      );
    });
  },
});

export const reusedMemory: Case<'windows/alloc-and-free'> = defineCase({
  id: 'windows/alloc-and-free',
  mirrors: 'ncclMemAlloc, ncclMemFree',
  ranks: [2],
  kernels: [fill],
  run: async ({ run }) => {
    await run(async (comm) => {
      const kept = await comm.allocWindow('u32', 64);
      await kept.write(count(64, comm.rank));
      for (let round = 0; round < 8; round++) {
        const win = await comm.allocWindow('u32', 512 * (round + 1));
        // The memory is zero-filled, even if another window used it before.
        expectValues(
          'fresh memory',
          await win.read(),
          count(512 * (round + 1)).map(() => 0),
        );
        await comm.launch(fill, { grid: 1, block: 64 }, { win, n: 512, value: 0xffffffff });
        await win.deregister();
      }
      expectValues('the remaining window', await kept.read(), count(64, comm.rank));
    });
  },
});

export const streamOrder: Case<'windows/stream-order'> = defineCase({
  id: 'windows/stream-order',
  mirrors: 'cudaStream_t',
  ranks: [1, 2],
  kernels: [fill],
  run: async ({ run }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', 128);
      const stream = await comm.createStream();
      // They are not awaited one by one, because the stream keeps their order.
      const launches = count(10).map((i) =>
        comm.launch(fill, { grid: 1, block: 32, stream }, { win, n: 128 - i, value: i + 1 }),
      );
      await Promise.all(launches);
      const report = await comm.synchronize(stream);
      expectSame('launches told', report.launches, 10);
      expectValues(
        'win',
        await win.read(),
        count(128).map((i) => Math.min(10, 128 - i)),
      );
    });
  },
});

const stampKernel = kernel(
  { name: 'stampBlocks', use: { lsa }, params: { win: window } },
  ({ lsa, threadIdx, blockIdx, gridDim, u32 }, { win }) => {
    const p = lsa.localPointer(win, u32, 0);
    if (threadIdx.x === 0) p.store(1 + blockIdx.x, blockIdx.x * 3 + gridDim.x);
    if (threadIdx.x === 1) p.atomicAdd(0, 1, 'relaxed');
  },
);

export const largeGrid: Case<'windows/large-grid'> = defineCase({
  id: 'windows/large-grid',
  mirrors: 'a grid with more CTAs than a device holds at once',
  ranks: [1, 2],
  kernels: [stampKernel],
  run: async ({ run }) => {
    await run(async (comm) => {
      const ctas = 1000;
      const win = await comm.allocWindow('u32', 1 + ctas);
      await comm.launch(stampKernel, { grid: ctas, block: 2 }, { win });
      expectValues('win', await win.read(), [ctas, ...count(ctas).map((b) => b * 3 + ctas)]);
    });
  },
});
