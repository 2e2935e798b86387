import type { WebgpuOptions } from '@nccl-ts/backend-webgpu';
import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { expectCode } from './support/expect-code.ts';
import { inWorld, openWorld, type OpenedWorld } from './support/world.ts';
import { failureOf, prepareMeetings, launchMeetings } from './support/meetings.ts';

/** More synchronizations than there will be time for. */
const MANY = 2 ** 30;

/** Resolves when kernels of the world are running. */
async function underWay({ backendWorld }: OpenedWorld): Promise<void> {
  const before = backendWorld.dispatches;
  while (backendWorld.dispatches < before + 100) await new Promise((resolve) => setImmediate(resolve));
}

describe.skipIf(noDevice !== undefined)(`if one rank never arrives${unlessDevice}`, () => {
  it('the world stays usable', async () => {
    const { world } = await openWorld({ ranks: 2 });
    const codes = await world.run(async (comm) => {
      const meeting = await prepareMeetings(comm);
      if (comm.rank === 1) return undefined;
      await launchMeetings(comm, meeting, 3);
      return (await failureOf(comm.synchronize()))?.code;
    });
    expect(codes).toEqual(['NCCLTS_DEADLOCK', undefined]);
    await world.run(async (comm) => {
      await launchMeetings(comm, await prepareMeetings(comm), 3);
      await comm.synchronize();
    });
    await world.close();
  });
});

describe.skipIf(noDevice !== undefined)(`a communicator that is aborted${unlessDevice}`, () => {
  it('ends only the pending work of its own rank', async () => {
    const opened = await openWorld({ ranks: 2 });
    const { world } = opened;
    let aborted = (): void => undefined;
    const gone = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const codes = await world.run(async (comm) => {
      const meeting = await prepareMeetings(comm);
      await launchMeetings(comm, meeting, MANY);
      const waiting = failureOf(comm.synchronize());
      await underWay(opened);
      if (comm.rank === 1) await gone;
      await comm.abort();
      aborted();
      return [(await waiting)?.code, comm.isOpen];
    });
    expect(codes).toEqual([
      ['NCCLTS_ABORTED', false],
      ['NCCLTS_ABORTED', false],
    ]);
    await world.close();
  });
});

describe.skipIf(noDevice !== undefined)(`a device that is lost${unlessDevice}`, () => {
  it.for(['its own', 'the caller’s'])('while kernels run, %s, ends all pending waits', async (whose) => {
    const given = whose === 'its own' ? undefined : await openDevice();
    const options: WebgpuOptions = { ranks: 3, ...(given !== undefined && { device: given.device }) };
    const opened = await openWorld(options);
    const { world, backendWorld } = opened;
    const run = world.run(async (comm) => {
      const meeting = await prepareMeetings(comm);
      await launchMeetings(comm, meeting, MANY);
      return Promise.all([failureOf(comm.synchronize()), failureOf(meeting.win.read())]);
    });
    await underWay(opened);
    backendWorld.device.destroy();
    const told = (await run).flat();
    expect(told.map((error) => error?.code)).toEqual(told.map(() => 'NCCLTS_WEBGPU_DEVICE_LOST'));
    expect(told[0]?.message).toContain('The program called destroy() on it; open a new world to go on.');
    await expectCode(world.comm(0).memAlloc(64), 'NCCLTS_WEBGPU_DEVICE_LOST');
    await world.close();
    given?.dispose();
  });
});

/** Stores 64 words for each thread while it waits. */
const keepsMuch = kernel(
  { name: 'keepsMuch', use: { lsa }, params: { win: window } },
  ({ lsa, waitUntil, localArray, threadIdx, u32 }, { win }) => {
    const own = localArray(u32, 64);
    for (let i = u32(0); i < 64; i++) own.store(i, i * threadIdx.x);
    waitUntil(() => lsa.localPointer(win, u32, 0).load(0, 'acquire') === 0);
    lsa.localPointer(win, u32, 0).store(threadIdx.x, own.load(threadIdx.x % 64));
  },
);

describe.skipIf(noDevice !== undefined)(`missing memory${unlessDevice}`, () => {
  it('is reported for a launch whose threads would store too much, and the next launch runs', async () => {
    await inWorld({ ranks: 1 }, async (comm) => {
      const win = await comm.allocWindow('u32', 1024);
      await comm.launch(keepsMuch, { grid: 60_000, block: 1024 }, { win });
      const error = await expectCode(comm.synchronize(), 'NCCLTS_OUT_OF_MEMORY');
      expect(error.message).toContain('no room for the state of kernel keepsMuch');
      await comm.launch(keepsMuch, { grid: 1, block: 32 }, { win });
      expect((await win.read())[3]).toBe(9);
    });
  });
});

describe.skipIf(noDevice !== undefined)(`a signal that is aborted${unlessDevice}`, () => {
  it('while its launches run ends them, and the world stays usable', async () => {
    const opened = await openWorld({ ranks: 3 });
    const { world } = opened;
    const controller = new AbortController();
    const run = world.run(async (comm) => {
      await launchMeetings(comm, await prepareMeetings(comm), MANY, controller.signal);
      return failureOf(comm.synchronize());
    });
    await underWay(opened);
    controller.abort(new Error('enough'));
    for (const error of await run) {
      expect(error?.code).toBe('NCCLTS_ABORTED');
      expect(error?.message).toContain('enough');
    }
    await world.run(async (comm) => {
      await launchMeetings(comm, await prepareMeetings(comm), 3);
      await comm.synchronize();
    });
    await world.close();
  });

  it('of one rank ends its launch, and the others keep waiting', async () => {
    const opened = await openWorld({ ranks: 2 });
    const controller = new AbortController();
    const run = opened.world.run(async (comm) => {
      await launchMeetings(comm, await prepareMeetings(comm), MANY, comm.rank === 0 ? controller.signal : undefined);
      return (await failureOf(comm.synchronize()))?.code;
    });
    await underWay(opened);
    controller.abort(new Error('enough'));
    expect(await run).toEqual(['NCCLTS_ABORTED', 'NCCLTS_DEADLOCK']);
    await opened.world.close();
  });

  it('ends a run with all its launches', async () => {
    const opened = await openWorld({ ranks: 2 });
    const controller = new AbortController();
    const run = opened.world.run(
      async (comm) => {
        await launchMeetings(comm, await prepareMeetings(comm), MANY);
        await comm.synchronize();
      },
      { signal: controller.signal },
    );
    await underWay(opened);
    controller.abort(new Error('enough'));
    await expectCode(run, 'NCCLTS_ABORTED');
    await opened.world.close();
  });

  it('a world that is closed ends the work in progress', async () => {
    const opened = await openWorld({ ranks: 2 });
    const run = opened.world.run(async (comm) => {
      await launchMeetings(comm, await prepareMeetings(comm), MANY);
      await comm.synchronize();
    });
    await underWay(opened);
    const [outcome] = await Promise.allSettled([run, opened.world.close()]);
    expect(outcome.status).toBe('rejected');
  });
});
