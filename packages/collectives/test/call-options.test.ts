import { sim } from '@nccl-ts/backend-sim';
import {
  allGather,
  allReduce,
  allToAll,
  broadcast,
  gather,
  group,
  reduce,
  reduceScatter,
  scatter,
  type CollectiveOptions,
} from '@nccl-ts/collectives';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { isNcclError, RedOp } from '@nccl-ts/core';
import { expect, inject, test } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const COUNT = 40_000;

/**
 * Runs a sum on two ranks, and returns the first and the last element of each rank, or the message.
 */
async function summed(options: (rank: number) => CollectiveOptions, grids: number[] = []): Promise<readonly unknown[]> {
  const backend = sim({ ranks: 2 });
  await using world = await World.open({ backend: notingGrids(backend, grids) });
  return await world.run(async (comm: Communicator) => {
    const [a, b] = [await comm.allocWindow('i32', COUNT), await comm.allocWindow('i32', COUNT)];
    await a.write(new Int32Array(COUNT).fill(1 + comm.rank));
    try {
      await allReduce(comm, a, b, COUNT, RedOp.Sum, options(comm.rank));
    } catch (error) {
      if (!isNcclError(error)) throw error;
      return `${error.code} ${error.message}`;
    }
    const sums = await b.read();
    return [sums[0], sums[COUNT - 1]];
  });
}

/** A simulator that records the number of CTAs of each launch. */
function notingGrids(backend: ReturnType<typeof sim>, grids: number[]) {
  return {
    ...backend,
    open: async (options: Parameters<typeof backend.open>[0]) => {
      const world = await backend.open(options);
      const launch = world.launch.bind(world);
      return Object.assign(world, {
        launch: (...args: Parameters<typeof launch>) => {
          grids.push(args[1].grid.x);
          return launch(...args);
        },
      });
    },
  };
}

test.each<[CollectiveOptions, number]>([
  [{ maxCtas: 1 }, 1],
  [{ minCtas: 3, maxCtas: 3 }, 3],
  [{ minCtas: 2, algorithm: 'oneShot', maxCtas: 2 }, 2],
])('a call with %j uses that many CTAs and computes the right sums', async (options, ctas) => {
  const grids: number[] = [];
  expect(await summed(() => options, grids)).toEqual([
    [3, 3],
    [3, 3],
  ]);
  expect([...new Set(grids)]).toEqual([ctas]);
});

type Call = (comm: Communicator, a: Window<'i32'>, b: Window<'i32'>, options: CollectiveOptions) => Promise<void>;

const others: readonly (readonly [string, Call])[] = [
  ['broadcast', async (comm, a, b, options) => broadcast(comm, a, b, COUNT, 0, options)],
  ['reduce', async (comm, a, b, options) => reduce(comm, a, b, COUNT, RedOp.Sum, 0, options)],
  ['allGather', async (comm, a, b, options) => allGather(comm, a, b, COUNT / 2, options)],
  ['reduceScatter', async (comm, a, b, options) => reduceScatter(comm, a, b, COUNT / 2, RedOp.Sum, options)],
  ['allToAll', async (comm, a, b, options) => allToAll(comm, a, b, COUNT / 2, options)],
  ['gather', async (comm, a, b, options) => gather(comm, a, b, COUNT / 2, 0, options)],
  ['scatter', async (comm, a, b, options) => scatter(comm, a, b, COUNT / 2, 0, options)],
];

test.each(others)('%s takes the options of one call, and refuses wrong ones', async (_name, call) => {
  const grids: number[] = [];
  await using world = await World.open({ backend: notingGrids(sim({ ranks: 2 }), grids) });
  await world.run(async (comm) => {
    const [a, b] = [await comm.allocWindow('i32', COUNT), await comm.allocWindow('i32', COUNT)];
    await a.write(new Int32Array(COUNT));
    await call(comm, a, b, { minCtas: 1, maxCtas: 1 });
    await comm.synchronize();
    await expect(call(comm, a, b, { minCtas: 4, maxCtas: 2 })).rejects.toThrow('maxCtas must be an integer');
  });
  expect([...new Set(grids)]).toEqual([1]);
});

test('a call with an unsuitable algorithm fails if the algorithm is forced, and otherwise uses the selected one', async () => {
  // Reduce-scatter has a ring algorithm; all-reduce does not have `direct`.
  const [forced] = await summed(() => ({ algorithm: 'direct' }));
  expect(forced).toMatch(/^NCCL_INVALID_ARGUMENT allReduce: there is no algorithm direct/);
  expect(await summed(() => ({ algorithm: 'direct', forceAlgorithm: false }))).toEqual([
    [3, 3],
    [3, 3],
  ]);
});

test.each<[unknown, string]>([
  [{ minCtas: 0 }, 'minCtas must be an integer'],
  [{ minCtas: 4, maxCtas: 2 }, 'maxCtas must be an integer'],
  [{ minCtas: 1_000_000 }, 'allReduce: minCtas must be at most'],
  [{ forceAlgorithm: 1 }, 'forceAlgorithm must be true or false; given 1'],
])('a call with %j is refused', async (options, message) => {
  // @ts-expect-error some of these are of the wrong type
  const [first] = await summed(() => options);
  expect(first).toContain('NCCL_INVALID_ARGUMENT');
  expect(first).toContain(message);
});

test('ranks that ask for different numbers of CTAs get an error', async () => {
  const results = await summed((rank) => ({ maxCtas: 1 + rank, minCtas: 1 + rank }));
  expect(results.join('\n')).toContain('NCCL_INVALID_USAGE');
});

test.for(slow)('calls of a group may have different limits', async () => {
  const grids: number[] = [];
  await using world = await World.open({ backend: notingGrids(sim({ ranks: 2 }), grids) });
  const sums = await world.run(async (comm) => {
    const windows = await Promise.all([0, 1, 2, 3].map(async () => comm.allocWindow('i32', COUNT)));
    const [a, b, c, d] = windows;
    if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('no windows');
    for (const from of [a, c]) await from.write(new Int32Array(COUNT).fill(1 + comm.rank));
    await group(comm, async () => {
      await allReduce(comm, a, b, COUNT, RedOp.Sum, { maxCtas: 1 });
      await allReduce(comm, c, d, COUNT, RedOp.Sum, { minCtas: 2, maxCtas: 2 });
    });
    return [(await b.read())[COUNT - 1], (await d.read())[COUNT - 1]];
  });
  expect(sums).toEqual([
    [3, 3],
    [3, 3],
  ]);
});
