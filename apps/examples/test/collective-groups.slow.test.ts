import { allGather, allReduce, group, recv, send } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { describe, expect, inject, test } from 'vitest';
import { backendFactory } from '../src/backend.ts';
import { testedBackends, unlessThere } from './support/backends.ts';

const lacks = testedBackends.find(({ name }) => name === 'webgpu')?.lacks;

describe.skipIf(lacks !== undefined)(`a group on WebGPU${unlessThere(lacks)}`, { timeout: 120_000 }, () => {
  const backend = backendFactory('webgpu')(3);

  // Shaders take long to compile on a CPU. With NCCLTS_EVERY_CASE set, both.
  const algorithms = inject('everyCase') ? (['twoShot', 'll'] as const) : (['twoShot'] as const);
  test.each(algorithms)('runs several sums in one launch, by %s', async (algorithm) => {
    await using world = await World.open({ backend });
    const sums = await world.run(async (comm) => {
      const [from, to] = [await comm.allocWindow('f32', 64), await comm.allocWindow('f32', 64)];
      await from.write(Float32Array.from({ length: 64 }, (_, i) => i + comm.rank));
      await comm.synchronize();
      await group(comm, async () => {
        for (const [at, count] of [
          [0, 5],
          [9, 11],
          [21, 40],
        ] as const) {
          await allReduce(comm, from.symPtr(4 * at), to.symPtr(4 * at), count, RedOp.Sum, { algorithm });
        }
      });
      expect((await comm.synchronize()).launches).toBe(1);
      return to.read();
    });
    const isIn = (i: number): boolean => i < 5 || (i >= 9 && i < 20) || (i >= 21 && i < 61);
    const wanted = Float32Array.from({ length: 64 }, (_, i) => (isIn(i) ? 3 * i + 3 : 0));
    expect(sums).toEqual([wanted, wanted, wanted]);
  });

  test('runs sends, receives and gathers', async () => {
    await using world = await World.open({ backend });
    const got = await world.run(async (comm) => {
      const [from, to] = [await comm.allocWindow('i32', 4), await comm.allocWindow('i32', 16)];
      await from.write(Int32Array.of(1, 2, 3, 4).map((value) => 10 * comm.rank + value));
      await comm.synchronize();
      await group(comm, async () => {
        await allGather(comm, from, to, 2);
        await send(comm, from.symPtr(8), 2, (comm.rank + 1) % 3);
        await allGather(comm, from.symPtr(8), to.symPtr(24), 2);
        await recv(comm, to.symPtr(48), 2, (comm.rank + 2) % 3);
      });
      expect((await comm.synchronize()).launches).toBe(2);
      return to.read();
    });
    got.forEach((values, rank) => {
      const before = 10 * ((rank + 2) % 3);
      expect([...values]).toEqual([1, 2, 11, 12, 21, 22, 3, 4, 13, 14, 23, 24, before + 3, before + 4, 0, 0]);
    });
  });

  test('uses the ranks of a communicator with some of the ranks', async () => {
    await using world = await World.open({ backend });
    const got = await world.run(async (comm) => {
      const pair = await comm.split(comm.rank === 1 ? null : 0, -comm.rank);
      if (pair === null) return undefined;
      const [from, to] = [await pair.allocWindow('i32', 2), await pair.allocWindow('i32', 3)];
      await from.write([comm.rank + 1, 10 * comm.rank]);
      await group(pair, async () => {
        await allReduce(pair, from, to, 1, RedOp.Sum);
        await allReduce(pair, from.symPtr(4), to.symPtr(4), 1, RedOp.Sum);
        await send(pair, from, 1, 1 - pair.rank);
        await recv(pair, to.symPtr(8), 1, 1 - pair.rank);
      });
      await pair.finalize();
      return [pair.rank, ...(await to.read())];
    });
    expect(got).toEqual([[1, 4, 20, 3], undefined, [0, 4, 20, 1]]);
  });
});
