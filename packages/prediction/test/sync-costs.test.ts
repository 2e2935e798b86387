import { World } from '@nccl-ts/communicator';
import { machines } from '@nccl-ts/cost-model';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { predict, type Prediction } from '@nccl-ts/prediction';
import { expect, test } from 'vitest';

const exchange = kernel(
  { name: 'exchange', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, threadIdx, u32, fence, coopCta, waitUntil }, { comm, win }) => {
    const theirs = lsa.pointer(win, u32, 0, 1 - comm.lsaRank);
    theirs.store(64 + threadIdx.x, 1);
    fence('acq_rel', 'system');
    coopCta().sync();
    if (threadIdx.x === 0) {
      theirs.store(0, 1, 'release', 'system');
      waitUntil(() => lsa.localPointer(win, u32, 0).load(0, 'acquire', 'system') === 1);
    }
  },
);

const machine = machines['h200-nvlink4'];

async function predicted(): Promise<Prediction> {
  return predict({ ranks: 2, machine, bounds: false }, async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 256);
      await comm.launch(exchange, { grid: 1, block: 128 }, { comm: await comm.createDevComm({}), win });
      await comm.synchronize();
    });
  });
}

test('barriers, fences, releases and waits have their costs by line', async () => {
  const { syncs } = await predicted();
  const byKind = new Map(syncs.map(({ kinds, nanoseconds }) => [kinds.join(), nanoseconds]));
  expect([...byKind.keys()].toSorted()).toEqual(['barrier', 'fence', 'release', 'wait']);
  for (const { at } of syncs) expect(at).toMatch(/^sync-costs\.test\.ts:\d+$/);
  expect(byKind.get('barrier')).toBeCloseTo(machine.syncTime ?? Number.NaN, 6);
  expect(byKind.get('fence')).toBeCloseTo(machine.ctaFenceTime ?? Number.NaN, 6);
  expect(byKind.get('release')).toBeCloseTo(machine.fenceTime ?? Number.NaN, 6);
  expect(byKind.get('wait')).toBeGreaterThan(machine.nvlink?.latency ?? Number.NaN);
});

test('the costs and the rest of the path add up to the time', async () => {
  const { syncs, path, nanoseconds } = await predicted();
  const rest = path.filter(({ kind }) => kind === 'launch' || kind === 'compute');
  const sum = [...syncs, ...rest].reduce((all, part) => all + part.nanoseconds, 0);
  expect(sum).toBeCloseTo(nanoseconds, 6);
});
