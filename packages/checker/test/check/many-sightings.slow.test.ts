import { check } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { expect, test } from 'vitest';

const COUNT = 10_000;

/** Rank 0 writes all of rank 1's words, and rank 1's host reads them without an order. */
const writes = kernel(
  { name: 'writes', params: { comm: devComm, data: symPtr(u32), count: u32 } },
  ({ threadIdx, blockDim }, { comm, data, count }) => {
    if (comm.lsaRank === 0) {
      for (let i = threadIdx.x; i < count; i += blockDim.x) data.lsaPtr(1)[i] = i;
    }
  },
);

/** Threads of one CTA add to one bin, without atomics and without a sync. */
const adds = kernel({ name: 'adds', params: { bins: symPtr(u32), count: u32 } }, ({ threadIdx, blockDim }, params) => {
  const { bins, count } = params;
  for (let i = threadIdx.x; i < count; i += blockDim.x) {
    const bin = bins.localPtr();
    bin.store(0, bin.load(0) + 1, 'relaxed', 'device');
  }
});

test('a race on thousands of words is counted completely, reported once, and explained by the first word', async () => {
  const report = await check({ ranks: 2 }, async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const data = await comm.allocWindow(u32, COUNT);
      const args = { comm: await comm.createDevComm(), data: data.symPtr(), count: COUNT };
      await comm.launch(writes, { grid: 1, block: 64 }, args);
      await comm.synchronize();
      await data.read();
    });
  });
  expect(report.findings.map(({ kind, missing }) => [kind, missing.map((one) => one.kind)])).toEqual([
    ['race', ['synchronisation']],
  ]);
  expect(report.seen).toEqual([COUNT]);
  expect(report.spread[0]?.bytes?.ranks).toEqual([1]);
});

test('threads that add to one word by plain loads and ordered stores race once, with a bounded count', async () => {
  const report = await check({ ranks: 1 }, async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const bins = await comm.allocWindow(u32, 1);
      await comm.launch(adds, { grid: 1, block: 256 }, { bins: bins.symPtr(), count: 1024 });
      await comm.synchronize();
    });
  });
  // The checker remembers only a few of the earlier threads. Otherwise there would be 262,144
  // sightings.
  const races = report.findings.filter(({ kind }) => kind === 'race');
  expect(races.map(({ labels }) => labels.map(({ does }) => does))).toEqual([['load', 'store']]);
  expect(Math.max(...report.seen)).toBeLessThan(1024 * 2 * 33);
});
