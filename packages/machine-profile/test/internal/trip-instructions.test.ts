import { expect, test } from 'vitest';
import { releaseTrip } from '../../src/kernels/latency-kernels.ts';
import { RELEASE_INSTRUCTIONS, RELEASE_STEPS } from '../../src/profile-parameters.ts';
import { launchTime } from './launch-time.ts';
import { machine } from './support/trip-instructions.ts';

test('the trip of a store leaves out the instructions and steps that the simulator counts in its micro-benchmark', async () => {
  const turns = async (iters: number): Promise<number> =>
    launchTime(machine, async (comm, handles) =>
      comm.launch(releaseTrip, { grid: 1, block: 32 }, { ...handles, iters, base: 0 }),
    );
  // A turn is a trip there and one back.
  const trip = ((await turns(20)) - (await turns(10))) / 20;
  expect(trip).toBeCloseTo(RELEASE_INSTRUCTIONS + RELEASE_STEPS, 3);
});
