import { f32 } from '@nccl-ts/kernel';
import { afterAll, describe, inject, it } from 'vitest';
import { crowd } from './programs/crowd.ts';
import { CELLS, jacobi, solveOnHost } from './programs/jacobi.ts';
import { keptArrays, keptOnHost } from './programs/kept-arrays.ts';
import { DEPTH, ringThroughFifos } from './programs/ring-all-reduce.ts';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { inWorld } from './support/world.ts';

/** Suites of the slow tests: the quick ones have one row of another. */
const slow = inject('slow') ? [unlessDevice] : [];

/** With NCCLTS_EVERY_CASE set, worlds of more sizes. */
const every = inject('everyCase');

const acquired = noDevice === undefined ? await openDevice() : undefined;
const device = acquired === undefined ? {} : { device: acquired.device };
afterAll(() => acquired?.dispose());

const count = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

describe.skipIf(acquired === undefined).concurrent.each(slow)('kernels that wait in loops%s', () => {
  it.for(every ? [2, 3, 4, 8] : [3])('a ring AllReduce through FIFOs over %i ranks', async (ranks, { expect }) => {
    const grid = 3;
    const chunk = 50;
    const perCta = ranks * chunk;
    const value = (rank: number, i: number): number => (rank + 1) * 1000 + i;
    const found = await inWorld({ ranks, ...device }, async (comm) => {
      const data = await comm.allocWindow(f32, grid * perCta);
      await data.write(count(grid * perCta).map((i) => value(comm.rank, i)));
      const fifo = await comm.allocWindow(f32, grid * DEPTH * chunk);
      const counts = await comm.allocWindow('u32', grid * 2);
      const dev = await comm.createDevComm({ lsaBarrierCount: grid });
      await comm.launch(ringThroughFifos, { grid, block: 32 }, { comm: dev, data, fifo, counts, chunk });
      return { sums: await data.read(), counts: await counts.read() };
    });
    const sums = count(grid * perCta).map((i) => count(ranks).reduce((sum, rank) => sum + value(rank, i), 0));
    for (const { sums: actual, counts } of found) {
      expect([...actual]).toEqual(sums);
      expect([...counts]).toEqual(count(grid * 2).map(() => 2 * (ranks - 1)));
    }
  });

  it.for(every ? [1, 2, 3, 4, 8] : [1, 4])('Jacobi over %i ranks, until no cell changes', async (ranks, { expect }) => {
    const b = count(ranks * CELLS).map((i) => Math.fround(Math.sin(i * i)));
    const least = 1e-5;
    const found = await inWorld({ ranks, ...device }, async (comm) => {
      const cells = await comm.allocWindow(f32, 3 * CELLS);
      await cells.write(b.slice(comm.rank * CELLS, (comm.rank + 1) * CELLS));
      const told = await comm.allocWindow('u32', 17);
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(jacobi, { grid: 1, block: CELLS }, { comm: dev, cells, told, least });
      const rounds = (await told.read())[16] ?? 0;
      const at = CELLS * (1 + (rounds % 2));
      return { rounds, cells: [...(await cells.read()).subarray(at, at + CELLS)] };
    });
    const expected = solveOnHost(b, least);
    expect(expected.rounds).toBeGreaterThan(10);
    expect(found.map(({ rounds }) => rounds)).toEqual(count(ranks).map(() => expected.rounds));
    expect(found.flatMap(({ cells }) => cells)).toEqual(expected.cells);
  });
});

describe.skipIf(acquired === undefined).concurrent(`state that survives a wait${unlessDevice}`, () => {
  it.for(
    [
      { what: 'arrays of a workgroup', words: 1024, spread: 1, block: 64 },
      { what: 'arrays of a block of 512 threads', words: 1024, spread: 1, block: 512 },
      { what: 'arrays of a block of 600 threads', words: 1024, spread: 1, block: 600 },
      { what: 'arrays of a block of 1024 threads', words: 1025, spread: 1, block: 1024 },
      { what: '48000 bytes of shared arrays', words: 12_000, spread: 19, block: 600 },
    ].filter((_, i) => (i === 0) !== inject('slow')),
  )('$what', async ({ words, spread, block }, { expect }) => {
    const rounds = 7;
    const kept = keptArrays(words, spread);
    const found = await inWorld({ ranks: 2, ...device }, async (comm) => {
      const win = await comm.allocWindow('u32', 2 * block + 1);
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(kept, { grid: 1, block }, { comm: dev, win, rounds });
      return [...(await win.read())];
    });
    expect(found).toEqual([0, 1].map((rank) => keptOnHost(block, rank, rounds)));
  });
});

describe.skipIf(acquired === undefined).concurrent.each(slow)('grids larger than the device%s', () => {
  it.for([
    { ctas: 100_000, grid: 100_000 },
    { ctas: 39_936, grid: { x: 3, y: 13, z: 1024 } },
  ])('$ctas CTAs wait for the last of them', async ({ ctas, grid }, { expect }) => {
    const [words = []] = await inWorld({ ranks: 1, ...device }, async (comm) => {
      const win = await comm.allocWindow('u32', 1 + ctas);
      await comm.launch(crowd, { grid, block: 1 }, { win });
      return [...(await win.read())];
    });
    expect(words).toEqual([1, ...count(ctas).map((id) => id * 3 + 1)]);
  });
});
