import { allCases, caseRuns, runCase, shapeName } from '@nccl-ts/conformance';
import { distributedWebgpu } from '@nccl-ts/webgpu-distributed';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { expectCode } from './support/expect-code.ts';
import { allReduce } from './support/kernels.ts';
import { inWorld, openWorld } from './support/world.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

// All worlds share them, so that each reuses what others have compiled.
const acquired = noDevice === undefined ? [await openDevice(), await openDevice()] : [];
const devices = acquired.map(({ device }) => device);
afterAll(() => {
  for (const device of acquired) device.dispose();
});

const count = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

const [run] = caseRuns(allCases.filter(({ id }) => id === 'windows/store-to-peers')).filter(
  ({ variant, shape }) => variant === 'plain' && shapeName(shape) === '4',
);

describe
  .skipIf(noDevice !== undefined)
  .concurrent(`the conformance suite with the ranks on two devices${unlessDevice}`, () => {
    it('windows/store-to-peers on 4 ranks', async ({ expect }) => {
      if (run === undefined) throw new Error('there is no such case');
      const { verdict, error } = await runCase(run, { backend: (shape) => distributedWebgpu({ ...shape, devices }) });
      expect(verdict.verdict, `${verdict.reason} ${String(error)}`).toBe('pass');
    });
  });

describe.skipIf(noDevice !== undefined)(`ranks on several devices${unlessDevice}`, () => {
  it.for(slow)('exchange nothing if no rank can access the memory of another device', async () => {
    const length = 100;
    const { world, backendWorld } = await openWorld({ ranks: 4, lsaSize: 2, devices });
    const sums = await world.run(async (comm) => {
      const win = await comm.allocWindow('f32', length);
      await win.write(count(length).map((i) => i * comm.rank));
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(allReduce, { grid: 1, block: 32 }, { comm: dev, win, offset: 0, count: length });
      return [...(await win.read())];
    });
    expect(sums).toEqual([1, 1, 5, 5].map((sum) => count(length).map((i) => i * sum)));
    expect(backendWorld.exchanged.count).toBe(0);
    await world.close();
  });

  it("refuse a caller's buffers, because other devices cannot access them", async () => {
    const buffer = devices[0]?.createBuffer({ size: 4096, usage: 0x8c });
    if (buffer === undefined) return;
    await inWorld({ ranks: 2, devices }, async (comm) => {
      await expectCode(comm.adoptMemory(buffer), 'NCCLTS_NOT_SUPPORTED');
    });
    buffer.destroy();
  });
});
