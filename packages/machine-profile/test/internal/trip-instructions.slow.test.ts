import { expect, test } from 'vitest';
import { launchFlags } from '../../src/kernels/latency-kernels.ts';
import { FLAG_INSTRUCTIONS, FLAG_STEPS } from '../../src/profile-parameters.ts';
import { launchTime } from './launch-time.ts';
import { machine } from './support/trip-instructions.ts';

test('the time of a launch leaves out the instructions and steps that the simulator counts in its micro-benchmark', async () => {
  const time = await launchTime(machine, async (comm, handles) =>
    comm.launch(launchFlags, { grid: 1, block: 32 }, { ...handles, iters: 1, base: 1 }),
  );
  expect(time).toBeCloseTo(FLAG_INSTRUCTIONS + FLAG_STEPS, 3);
});
