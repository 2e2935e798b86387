import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { expect, test } from 'vitest';
import { launchFlags, releaseTrip } from '../../src/kernels/latency-kernels.ts';
import { FLAG_INSTRUCTIONS, FLAG_STEPS, RELEASE_INSTRUCTIONS, RELEASE_STEPS } from '../../src/profile-parameters.ts';
import { launchTime } from './launch-time.ts';

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
  const time = await launchTime(machine, async (comm, handles) =>
    comm.launch(launchFlags, { grid: 1, block: 32 }, { ...handles, iters: 1, base: 1 }),
  );
  expect(time).toBeCloseTo(FLAG_INSTRUCTIONS + FLAG_STEPS, 3);
});

test('the trip of a store leaves out the instructions and steps that the simulator counts in its micro-benchmark', async () => {
  const turns = async (iters: number): Promise<number> =>
    launchTime(machine, async (comm, handles) =>
      comm.launch(releaseTrip, { grid: 1, block: 32 }, { ...handles, iters, base: 0 }),
    );
  // A turn is a trip there and one back.
  const trip = ((await turns(20)) - (await turns(10))) / 20;
  expect(trip).toBeCloseTo(RELEASE_INSTRUCTIONS + RELEASE_STEPS, 3);
});
