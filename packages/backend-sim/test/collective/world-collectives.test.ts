import type { SimWorld } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { createTopology } from '@nccl-ts/topology';
import type { Backend } from '@nccl-ts/transport';
import { expect, inject, test } from 'vitest';
import { loadCollectives, type LoadCollectives } from '../../src/collective/load-collectives.ts';
import { WorldCollectives } from '../../src/collective/world-collectives.ts';
import { SimWorldMemory } from '../../src/memory/world-memory.ts';
import { simWith } from '../../src/world/sim-backend.ts';
import { resolveSimOptions } from '../../src/world/sim-options.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const COUNT = 8;

/** Writes what the collective does not, so that the values show which of them ran. */
const sevens = kernel(
  { name: 'sevens', use: { lsa }, params: { win: window, count: u32 } },
  ({ lsa, threadIdx, f32 }, { win, count }) => {
    if (threadIdx.x < count) lsa.localPointer(win, f32, 0).store(threadIdx.x, 7);
  },
);

/** Barriers that take many turns. */
const meets = kernel(
  { name: 'meets', use: { lsa }, params: { comm: devComm, rounds: u32 } },
  ({ lsa, coopCta, u32 }, { comm, rounds }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    for (let round = u32(0); round < rounds; round++) bar.sync(coopCta(), 'acq_rel');
  },
);

function backendWith(load: LoadCollectives, seen: (world: SimWorld) => void = () => undefined): Backend {
  const backend = simWith(resolveSimOptions({ ranks: 2, engine: 'wasm' }), undefined, { loadCollectives: load });
  return {
    ...backend,
    open: async (options) => {
      const world = await backend.open(options);
      seen(world);
      return world;
    },
  };
}

/** Launches a sum, and returns its values. */
async function sum(comm: Communicator): Promise<readonly number[]> {
  const win = await comm.allocWindow('f32', COUNT);
  await win.write(new Float32Array(COUNT).fill(comm.rank + 1));
  const all = win.symPtr();
  const work = {
    collective: 'allReduce',
    element: 'f32',
    reduction: 'sum',
    count: COUNT,
    root: 0,
    send: all,
    recv: all,
  } as const;
  await comm.launch(sevens, { grid: 1, block: 32, work: [work] }, { win, count: COUNT });
  return [...new Set(await win.read())];
}

async function sums(load: LoadCollectives): Promise<readonly (readonly number[])[]> {
  await using world = await World.open({ backend: backendWith(load) });
  return await world.run(sum);
}

test('a launch with work needs no kernel', async () => {
  expect(await sums(loadCollectives)).toEqual([[3], [3]]);
});

test('without the package for collectives the kernel does the work', async () => {
  const missing = async (): Promise<never> => Promise.reject(new Error('Cannot find package @nccl-ts/cpu-collectives'));
  expect(await loadCollectives(missing)).toBeUndefined();
  expect(await sums(async () => loadCollectives(missing))).toEqual([[7], [7]]);
});

test('the package is loaded once, for the first launch with work', async () => {
  let loads = 0;
  const load = async () => {
    loads++;
    return loadCollectives();
  };
  await using world = await World.open({ backend: backendWith(load) });
  await world.run(async (comm) =>
    comm.launch(sevens, { grid: 1, block: 32 }, { win: await comm.allocWindow('f32', 8), count: 1 }),
  );
  expect(loads).toBe(0);
  await world.run(sum);
  await world.run(sum);
  expect(loads).toBe(1);
});

test('the kernels of all ranks do the work if one launch did not wait for the engine', async () => {
  const memory = new SimWorldMemory(createTopology({ ranks: 2 }), 1 << 20, false, 0, false);
  const hold = () => () => undefined;
  const collectives = new WorldCollectives({ memory, threads: 1, load: loadCollectives, hold });
  expect(collectives.codeFor(0, [])).toBeUndefined();
  await collectives.prepare();
  expect(collectives.record([])).toBeUndefined();
  expect(collectives.codeFor(1, [])).toBeUndefined();
  collectives.close();
});

test.for(slow)('a world behaves the same however long the package takes to load', async () => {
  const hashOf = async (milliseconds: number): Promise<number | undefined> => {
    let device: SimWorld | undefined;
    const load = async () => {
      if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
      return loadCollectives();
    };
    await using world = await World.open({ backend: backendWith(load, (opened) => (device = opened)) });
    await world.run(async (comm) => {
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      const stream = await comm.createStream();
      // It runs while the package is loaded, and afterwards.
      await comm.launch(meets, { grid: 1, block: 32, stream }, { comm: dev, rounds: 2000 });
      await sum(comm);
      await stream.synchronize();
    });
    return device?.eventHash;
  };
  const [loaded, slow] = [await hashOf(0), await hashOf(50)];
  expect(loaded).toBeDefined();
  expect(slow).toBe(loaded);
});
