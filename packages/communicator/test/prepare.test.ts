import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { World } from '@nccl-ts/communicator';
import { expect, it } from 'vitest';
import { memoryBackend } from './memory-backend/memory-backend.ts';

const counts = kernel({ name: 'counts', params: { comm: devComm, win: window, count: u32 } }, () => {});
const shape = { grid: 2, block: 32 };

async function setUp() {
  const backend = memoryBackend({ ranks: 2 });
  const world = await World.open({ backend });
  const made = await world.run(async (comm) => ({
    comm,
    win: await comm.allocWindow(f32, 4),
    devComm: await comm.createDevComm({ lsaBarrierCount: 1 }),
  }));
  const [first] = made;
  if (first === undefined) throw new Error('there is no rank');
  const { launches } = backend.worlds[0] ?? { launches: [] };
  return { world, launches, made, ...first, args: { comm: first.devComm, win: first.win, count: 3 } };
}

it('a prepared launch can be made any number of times, with its first arguments', async () => {
  const { world, comm, launches, args } = await setUp();
  await using _ = world;
  const prepared = comm.prepare(counts, shape, args);
  expect(launches).toHaveLength(0);
  args.count = 4;
  await prepared.launch();
  await prepared.launch();
  expect(launches.map(({ args: given }) => given[2])).toEqual([
    { kind: 'scalar', value: 3 },
    { kind: 'scalar', value: 3 },
  ]);
  expect(launches[1]?.config).toMatchObject({ grid: { x: 2, y: 1, z: 1 }, block: { x: 32, y: 1, z: 1 } });
});

it('a launch is checked when it is prepared', async () => {
  const { world, comm, args } = await setUp();
  await using _ = world;
  expect(() => comm.prepare(counts, shape, { ...args, count: -1 })).toThrow(/argument count must be an integer/);
});

it('a prepared launch refuses arguments, streams and communicators that were closed', async () => {
  const { world, comm, made, args, launches } = await setUp();
  await using _ = world;
  const stream = await comm.createStream();
  const plain = comm.prepare(counts, shape, args);
  const onStream = comm.prepare(counts, { ...shape, stream }, args);
  await stream.close();
  await expect(onStream.launch()).rejects.toMatchObject({ code: 'NCCLTS_CLOSED' });
  await Promise.all(made.map(async ({ win }) => win.deregister()));
  await expect(plain.launch()).rejects.toMatchObject({
    code: 'NCCLTS_CLOSED',
    message: expect.stringContaining('launch of counts: a window in its arguments was closed'),
  });
  await comm.close();
  await expect(plain.launch()).rejects.toMatchObject({ code: 'NCCLTS_CLOSED' });
  expect(launches).toHaveLength(0);
});
