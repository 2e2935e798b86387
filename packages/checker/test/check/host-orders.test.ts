import type { SimBackend } from '@nccl-ts/backend-sim';
import { check, explore } from '@nccl-ts/checker';
import { World, type Communicator, type Stream, type Window } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const params = { win: window };
const use = { lsa };
const shape = { grid: 1, block: 1 };

const first = kernel({ name: 'first', use, params }, ({ lsa, u32 }, { win }) => {
  lsa.localPointer(win, u32, 0).store(1, 1);
});
const second = kernel({ name: 'second', use, params }, ({ lsa, u32 }, { win }) => {
  lsa.localPointer(win, u32, 0).store(2, 2);
});
const bump = kernel({ name: 'bump', use, params }, ({ lsa, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  words.store(1, words.load(1) + 5);
});

interface Running {
  readonly comm: Communicator;
  readonly win: Window<'u32'>;
  readonly streams: readonly [Stream, Stream];
}

/** Launches a kernel on each of two streams, and then goes on with `rest`. */
function program(rest: (running: Running) => Promise<void>): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 8);
      const streams = [await comm.createStream(), await comm.createStream()] as const;
      await comm.launch(first, { ...shape, stream: streams[0] }, { win });
      await comm.launch(second, { ...shape, stream: streams[1] }, { win });
      await rest({ comm, win, streams });
    });
  };
}

/** Launches on the stream that ends first. It races with `first` if that is the other one. */
const follows = program(async ({ comm, win, streams: [one, other] }) => {
  const ended = [comm.synchronize(one).then(() => one), comm.synchronize(other).then(() => other)];
  await comm.launch(bump, { ...shape, stream: await Promise.race(ended) }, { win });
  await comm.synchronize(one);
  await comm.synchronize(other);
});

describe('a host that goes on with the stream that ends first', () => {
  it('shows the race of the other order', async () => {
    const report = await check({ ranks: 1 }, follows);
    expect(report.verdict).toBe('race');
  });

  it('is not proven by one run, whichever stream ends first in it', async () => {
    const harmless = program(async ({ comm, streams: [one, other] }) => {
      await Promise.race([comm.synchronize(one), comm.synchronize(other)]);
      await comm.synchronize(one);
      await comm.synchronize(other);
    });
    const report = await check({ ranks: 1 }, harmless);
    expect(report.verdict).toBe('clean');
    expect(report.proves.kind).toBe('portfolio');
  });

  it('is not explored completely', async () => {
    const { complete, report } = await explore({ ranks: 1, mode: 'check' }, follows, { runs: 100 });
    expect(complete).toBe(false);
    expect(report?.proves).toMatchObject({ kind: 'nothing', bound: expect.stringContaining('ends first') });
  });

  it('may also learn the order from a stream without work', async () => {
    const idle = program(async ({ comm, streams: [one, other] }) => {
      await comm.synchronize(one);
      await Promise.race([comm.synchronize(other), comm.synchronize(one)]);
      await comm.synchronize(other);
      await comm.synchronize(one);
    });
    expect((await check({ ranks: 1 }, idle)).proves.kind).toBe('portfolio');
  });
});

describe('a host whose next step does not depend on the order', () => {
  it.each([
    [
      'because it waits for both',
      program(async ({ comm, win, streams: [one, other] }) => {
        await Promise.all([comm.synchronize(one), comm.synchronize(other)]);
        await comm.launch(bump, { ...shape, stream: other }, { win });
        await comm.synchronize(other);
      }),
    ],
    [
      'because it waits for one after the other',
      program(async ({ comm, win, streams: [one, other] }) => {
        await comm.synchronize(one);
        await comm.launch(bump, { ...shape, stream: one }, { win });
        await comm.synchronize(other);
        await comm.synchronize(one);
      }),
    ],
    [
      'because both are on one stream',
      program(async ({ comm, win, streams: [one, other] }) => {
        await Promise.all([comm.synchronize(one), comm.synchronize(other)]);
        await comm.launch(bump, shape, { win });
        await Promise.all([win.read(), win.read(), comm.synchronize()]);
      }),
    ],
  ])('%s represents every schedule', async (_, orderly) => {
    const report = await check({ ranks: 1 }, orderly);
    expect(report.verdict).toBe('clean');
    expect(report.proves.kind).toBe('all schedules');
    expect((await explore({ ranks: 1, mode: 'check' }, orderly, { runs: 100 })).complete).toBe(true);
  });
});
