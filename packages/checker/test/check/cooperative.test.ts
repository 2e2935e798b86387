import { check, explore } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import type { Communicator } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';
import { hosts, verdictsOf } from './every-engine.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Every CTA waits until the whole grid has arrived. */
const meet = kernel(
  { name: 'meet', use: { lsa }, params: { win: window } },
  ({ lsa, waitUntil, gridDim, u32 }, { win }) => {
    const words = lsa.localPointer(win, u32, 0);
    words.atomicAdd(0, 1, 'acq_rel', 'device');
    waitUntil(() => words.load(0, 'acquire', 'device') >= gridDim.x);
  },
);

/** Stays on the device until the other kernel has started. */
const occupy = kernel({ name: 'occupy', use: { lsa }, params: { win: window } }, ({ lsa, waitUntil, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  waitUntil(() => words.load(1, 'acquire', 'device') >= 1);
});
const tell = kernel({ name: 'tell', use: { lsa }, params: { win: window } }, ({ lsa, u32 }, { win }) => {
  lsa.localPointer(win, u32, 0).atomicAdd(1, 1, 'release', 'device');
});

const launchOf = (grid: number, cooperative: boolean) => async (comm: Communicator) => {
  const win = await comm.allocWindow('u32', 16);
  await comm.launch(meet, { grid, block: 1, attributes: { cooperative } }, { win });
  await comm.synchronize();
};

const refused = 'cannot launch 5 CTAs cooperatively because the device holds 4; lower the grid or raise residentCtas';

describe('a cooperative launch', () => {
  it('is refused if the device cannot hold its grid, in every mode', async () => {
    const options = { ranks: 1, residentCtas: 4 };
    const program = hosts(launchOf(5, true));
    const error = { code: 'NCCL_INVALID_USAGE', message: expect.stringContaining(refused) };
    await expect(program(sim(options))).rejects.toMatchObject(error);
    await expect(check(options, program)).rejects.toMatchObject(error);
    await expect(check({ ...options, strategy: 'exhaustive' }, program)).rejects.toMatchObject(error);
    await expect(explore({ ...options, mode: 'check' }, program, { runs: 10 })).rejects.toMatchObject(error);
  });

  it.for(slow)('runs if the device can hold it, and its CTAs may wait for each other', async () => {
    expect(await verdictsOf({ ranks: 1, residentCtas: 4 }, hosts(launchOf(4, true)))).toEqual(['clean']);
  });

  it('is not checked without the attribute', async () => {
    const report = await check({ ranks: 1, residentCtas: 4 }, hosts(launchOf(5, false)));
    expect(report.verdict).toBe('deadlock');
  });

  it.for(slow)('starts all CTAs at the same time, and none if another kernel leaves too little room', async () => {
    const crowd = (cooperative: boolean) =>
      hosts(async (comm) => {
        const win = await comm.allocWindow('u32', 16);
        const [a, b] = [await comm.createStream(), await comm.createStream()];
        await comm.launch(occupy, { grid: 2, block: 1, stream: a }, { win });
        await comm.launch(tell, { grid: 3, block: 1, stream: b, attributes: { cooperative } }, { win });
        await comm.synchronize(a);
        await comm.synchronize(b);
      });
    expect((await check({ ranks: 1, residentCtas: 4 }, crowd(false))).verdict).toBe('clean');
    expect((await check({ ranks: 1, residentCtas: 4 }, crowd(true))).verdict).toBe('deadlock');
  });
});
