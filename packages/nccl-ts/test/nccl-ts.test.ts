import { allReduce, check, devComm, f32, kernel, lsa, RedOp, renderReport, sim, u32, window, World } from 'nccl-ts';
import { expect, test } from 'vitest';

const toNext = kernel(
  { name: 'toNext', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockDim, f32 }, { comm, win, count }) => {
    const next = lsa.pointer(win, f32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    for (let i = threadIdx.x; i < count; i += blockDim.x) next.store(i, f32(comm.rank));
    lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acq_rel');
  },
);

async function firstValues(world: World): Promise<readonly (number | undefined)[]> {
  const results = await world.run(async (comm) => {
    const win = await comm.allocWindow(f32, 64);
    const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
    await comm.launch(toNext, { grid: 1, block: 32 }, { comm: dev, win, count: 64 });
    const [passed] = await win.read();
    await allReduce(comm, win, win, 64, RedOp.Sum);
    const [sum] = await win.read();
    return [passed, sum];
  });
  await world.close();
  return results.flat();
}

test('one import is enough for a kernel, its host, a collective and a check', async () => {
  expect(await firstValues(await World.open({ backend: sim({ ranks: 3 }) }))).toEqual([2, 3, 0, 3, 1, 3]);
  const report = await check({ ranks: 2 }, async (backend) => {
    await firstValues(await World.open({ backend }));
  });
  expect(renderReport(report)).toMatch(/^clean/);
});
