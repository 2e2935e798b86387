import { sim, type SimWorld } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { createTimelineRecorder } from '@nccl-ts/timeline';
import { defineBackend } from '@nccl-ts/transport';
import { expect, test } from 'vitest';
import { straightCode } from '../../src/kernels/issue-kernels.ts';

test('straight code takes the time of its instructions, and the model counts those of the micro-benchmark', async () => {
  const issueTime = 10;
  const traced = sim({ ranks: 1, trace: { issueTime } });
  let opened: SimWorld | undefined;
  const backend = defineBackend({ ...traced, open: async (options) => (opened = await traced.open(options)) });
  await using world = await World.open({ backend });
  const ends: number[] = [];
  await world.run(async (comm) => {
    const win = await comm.allocWindow('u32', 8192);
    const args = { comm: await comm.createDevComm({}), win, zero: 0 };
    // The first launch of each finds nothing in the cache.
    for (const pairs of [32, 160, 32, 160]) {
      await comm.launch(straightCode(pairs), { grid: 1, block: 32 }, args);
      await comm.synchronize();
      ends.push(opened?.timeline(createTimelineRecorder()).end ?? Number.NaN);
    }
  });
  const [, cold = 0, short = 0, long = 0] = ends;
  expect(long - short - (short - cold)).toBeCloseTo(2 * (160 - 32) * issueTime);
});
