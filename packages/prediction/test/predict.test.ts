import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, inject, test } from 'vitest';
import { machines } from '@nccl-ts/cost-model';
import { predict, type PredictProgram } from '@nccl-ts/prediction';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const pass = kernel(
  { name: 'pass', use: { lsa }, params: { comm: devComm, win: window, words: u32 } },
  ({ lsa, threadIdx, blockDim, u32, waitUntil }, { comm, win, words }) => {
    const rank = comm.lsaRank;
    if (rank === 0) {
      const theirs = lsa.pointer(win, u32, 0, 1);
      for (let i = threadIdx.x; i < words; i += blockDim.x) theirs.store(64 + i, i);
      if (threadIdx.x === 0) theirs.store(0, 1, 'release', 'system');
    } else if (threadIdx.x === 0) {
      waitUntil(() => lsa.pointer(win, u32, 0, 1).load(0, 'acquire', 'system') === 1);
    }
  },
);

const program =
  (words: number, isMeasured = false): PredictProgram =>
  async (backend, measure) => {
    await using world = await World.open({ backend });
    const work = async (): Promise<void> => {
      await world.run(async (comm) => {
        const win = await comm.allocWindow('u32', 64 + words);
        const handle = await comm.createDevComm({});
        await comm.launch(pass, { grid: 1, block: 128 }, { comm: handle, win, words });
        await comm.synchronize();
      });
    };
    await work();
    if (isMeasured) await measure(work);
  };

const options = { ranks: 2, machine: machines['h100-nvlink4'] };

test('a flag costs a launch and round trips, and its reader waits for the rank that stores it', async () => {
  const { nanoseconds, bounds, wait } = await predict(options, program(32));
  expect(nanoseconds).toBeGreaterThan(1500);
  expect(nanoseconds).toBeLessThan(5000);
  expect(bounds.map(({ name }) => name)).toEqual(expect.arrayContaining(['launch', 'latency', 'synchronization']));
  expect(bounds.map(({ name }) => name)).not.toContain('network');
  expect(wait).toMatchObject({ rank: 1, for: 0 });
});

test.for(slow)('the bandwidth of one CTA bounds the time of its bytes', async () => {
  const { bounds } = await predict(options, program(1 << 17));
  expect(bounds[0]?.name).toBe('one CTA');
});

test('only the measured work counts, and the causes can be left out', async () => {
  const whole = await predict({ ...options, bounds: false }, program(32));
  const second = await predict({ ...options, bounds: false }, program(32, true));
  expect(whole.bounds).toEqual([]);
  expect(second.nanoseconds).toBeGreaterThan(options.machine.launchLatency ?? Infinity);
  expect(second.nanoseconds).toBeLessThan(whole.nanoseconds);
});

test('a program without a world, and options without a machine, are refused', async () => {
  await expect(predict(options, async () => undefined)).rejects.toMatchObject({ code: 'NCCL_INVALID_USAGE' });
  const missing: object = { ranks: 2, machine: false };
  await expect(Reflect.apply(predict, undefined, [missing, program(1)])).rejects.toMatchObject({
    code: 'NCCL_INVALID_ARGUMENT',
  });
});
