import { predict, type SimTraceOptions } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { expect, test } from 'vitest';
import { launchFlags } from '../../src/kernels/latency-kernels.ts';
import { FLAG_INSTRUCTIONS, FLAG_STEPS } from '../../src/profile-parameters.ts';

const FAST = 1e9;

/** A machine on which only the instructions and steps of a warp take time. */
const machine: SimTraceOptions = {
  launchLatency: 0,
  issueTime: 1,
  syncTime: 0,
  fenceTime: 0,
  ctaBandwidth: FAST,
  memory: { latency: 0, cachedLatency: 0, bandwidth: FAST, ctaBandwidth: FAST },
  nvlink: { latency: 0, loadLatency: 0, bandwidth: FAST, storeBandwidth: FAST },
};

test('the time of a launch leaves out the instructions and steps that the simulator counts in its micro-benchmark', async () => {
  const { nanoseconds } = await predict({ ranks: 2, machine, bounds: false }, async (backend, measure) => {
    await using world = await World.open({ backend });
    const made = await world.run(async (comm) => ({
      win: await comm.allocWindow('u32', 1 << 16),
      comm: await comm.createDevComm({}),
    }));
    await measure(async () =>
      world.run(async (comm) => {
        const handles = made[comm.rank];
        if (handles === undefined) throw new RangeError('A rank has no window.');
        await comm.launch(launchFlags, { grid: 1, block: 32 }, { ...handles, iters: 1, words: 1 << 16, base: 1 });
        await comm.synchronize();
      }),
    );
  });
  expect(nanoseconds).toBeCloseTo(FLAG_INSTRUCTIONS + FLAG_STEPS, 3);
});
