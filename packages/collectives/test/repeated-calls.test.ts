import { sim } from '@nccl-ts/backend-sim';
import { allReduce, group, setSelection } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { expect, inject, it } from 'vitest';
import { inWorld } from './support/in-world.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

it('repeated calls use the current time, buffers and operators', async () => {
  const sums = await inWorld(2, async (comm) => {
    const [send, recv, other] = [
      await comm.allocWindow('i32', 4),
      await comm.allocWindow('i32', 4),
      await comm.allocWindow('i32', 4),
    ];
    const seen: unknown[] = [];
    for (let i = 1; i <= 4; i++) {
      await send.write(new Int32Array(4).fill(i * (comm.rank + 1)));
      await allReduce(comm, send, recv, 4, RedOp.Sum);
      await allReduce(comm, send, other, 4, RedOp.Max);
      await allReduce(comm, recv, recv, 2, RedOp.Sum);
      seen.push([...(await recv.read()), (await other.read())[0]]);
      // The same buffers except for one value.
      await allReduce(comm, send, other, 4, RedOp.Sum);
      await allReduce(comm, send, other, 3, RedOp.Max);
      seen.push([...(await other.read())]);
    }
    return seen;
  });
  const expected = [1, 2, 3, 4].flatMap((i) => [
    [6 * i, 6 * i, 3 * i, 3 * i, 2 * i],
    [2 * i, 2 * i, 2 * i, 3 * i],
  ]);
  expect(sums).toEqual([expected, expected]);
});

/** A simulator that keeps the kernels and arguments of its launches. */
function noting(launches: unknown[], names: string[] = []) {
  const backend = sim({ ranks: 2 });
  return {
    ...backend,
    open: async (options: Parameters<typeof backend.open>[0]) => {
      const world = await backend.open(options);
      const launch = world.launch.bind(world);
      return Object.assign(world, {
        launch: (...[executable, config, args]: Parameters<typeof launch>) => {
          launches.push(args);
          names.push(executable.name);
          launch(executable, config, args);
        },
      });
    },
  };
}

it('a call is validated twice, and then launched with the same arguments', async () => {
  const launches: unknown[] = [];
  await using world = await World.open({ backend: noting(launches) });
  await world.run(async (comm) => {
    const [send, recv] = [await comm.allocWindow('f32', 4), await comm.allocWindow('f32', 4)];
    for (let i = 0; i < 5; i++) await allReduce(comm, send, recv, 4, RedOp.Sum);
    await comm.synchronize();
  });
  expect(launches).toHaveLength(10);
  // For each rank: one object for the first call, and one for all others.
  expect(new Set(launches).size).toBe(4);
});

it('a repeated call with a closed window fails as a first call does', async () => {
  await inWorld(2, async (comm) => {
    const [send, recv] = [await comm.allocWindow('f32', 4), await comm.allocWindow('f32', 4)];
    for (let i = 0; i < 3; i++) await allReduce(comm, send, recv, 4, RedOp.Sum);
    await recv.deregister();
    await expect(allReduce(comm, send, recv, 4, RedOp.Sum)).rejects.toMatchObject({
      code: 'NCCLTS_CLOSED',
      message: expect.stringContaining('symPtr'),
    });
  });
});

it.for(slow)('repeated calls follow new rules', async () => {
  const names: string[] = [];
  await using world = await World.open({ backend: noting([], names) });
  await world.run(async (comm) => {
    const [send, recv] = [await comm.allocWindow('i32', 4), await comm.allocWindow('i32', 4)];
    for (const algorithm of ['ring', 'oneShot', 'ring'] as const) {
      setSelection(comm, [{ collective: 'allReduce', algorithm }]);
      for (let i = 0; i < 3; i++) await allReduce(comm, send, recv, 4, RedOp.Sum);
    }
    await comm.synchronize();
  });
  expect(names.filter((_, i) => i % 6 === 5)).toEqual(['ringAllReduce', 'oneShotAllReduce', 'ringAllReduce']);
});

it('repeated calls in a group are held back until the group ends', async () => {
  const seen = await inWorld(2, async (comm) => {
    const [send, recv] = [await comm.allocWindow('i32', 4), await comm.allocWindow('i32', 4)];
    await send.write(new Int32Array(4).fill(comm.rank + 1));
    const call = async (): Promise<void> => allReduce(comm, send, recv, 4, RedOp.Sum);
    for (let i = 0; i < 3; i++) await call();
    await comm.synchronize();
    await recv.write(new Int32Array(4));
    let inside: unknown;
    await group(comm, async () => {
      await call();
      inside = (await recv.read())[0];
    });
    return [inside, (await recv.read())[0]];
  });
  expect(seen).toEqual([
    [0, 3],
    [0, 3],
  ]);
});
