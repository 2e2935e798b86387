import { sim } from '@nccl-ts/backend-sim';
import { allReduce, group, recv, send } from '@nccl-ts/collectives';
import { World, type Communicator } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { describe, expect, inject, test } from 'vitest';
import { checked } from './support/checked.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

describe('send and recv between load-store domains', () => {
  test.for(slow)('alternate with collectives, which may overwrite the source of a send', async () => {
    const { results, findings } = await checked({ ranks: 4, lsaSize: 2 }, async (comm) => {
      const peers = [(comm.rank + 2) % 4, comm.rank < 2 ? 1 - comm.rank : 5 - comm.rank];
      const buffer = await comm.allocWindow('i32', 100);
      const got = await comm.allocWindow('i32', 200);
      await buffer.write(Int32Array.from({ length: 100 }, () => comm.rank + 1));
      for (let round = 0; round < 2; round++) {
        await group(comm, async () => {
          for (const [i, peer] of peers.entries()) {
            await send(comm, buffer, 100, peer);
            await recv(comm, got.symPtr(400 * i), 100, peer);
          }
        });
        // In place: overwrites the data that was sent.
        await allReduce(comm, buffer, buffer, 100, RedOp.Sum);
      }
      await comm.finalize();
      return [(await buffer.read())[99], (await got.read())[99], (await got.read())[199]];
    });
    expect(findings).toEqual([]);
    expect(results).toEqual(Array.from({ length: 4 }, () => [40, 10, 10]));
  });

  test('wait for each other whatever the order of the calls', async () => {
    await using world = await World.open({ backend: sim({ ranks: 4, lsaSize: 2 }) });
    const values = await world.run(async (comm) => {
      const buffer = await comm.allocWindow('i32', 2);
      await buffer.write([comm.rank, 9]);
      const [far, to] = [(comm.rank + 2) % 4, buffer.symPtr(4)];
      if (comm.rank < 2) await send(comm, buffer, 1, far);
      await recv(comm, to, 1, far);
      if (comm.rank >= 2) await send(comm, buffer, 1, far);
      return (await buffer.read())[1];
    });
    expect(values).toEqual([2, 3, 0, 1]);
  });

  test('that have no match are named in the error', async () => {
    const alone = async (program: (comm: Communicator) => Promise<void>): Promise<void> => {
      await using world = await World.open({ backend: sim({ ranks: 4, lsaSize: 2 }) });
      await world.run(program);
    };
    const one = async (comm: Communicator, kind: typeof send): Promise<void> => {
      const buffer = await comm.allocWindow('f32', 4);
      if (comm.rank === 1) await kind(comm, buffer, 4, 2);
      else
        await group(comm, async () => [await send(comm, buffer, 1, comm.rank), await recv(comm, buffer, 1, comm.rank)]);
    };
    await expect(alone(async (comm) => one(comm, send))).rejects.toMatchObject({
      code: 'NCCL_INVALID_USAGE',
      message: expect.stringMatching(/have ended, .*: send of 4 f32 on rank 1 to rank 2\.$/),
    });
    const waiting = alone(async (comm) => {
      await one(comm, recv);
      await comm.synchronize();
    });
    await expect(waiting).rejects.toMatchObject({
      code: 'NCCLTS_DEADLOCK',
      message: expect.stringMatching(/kernel farExchange \(recv of 4 f32 from rank 2\): rank 1, CTA 7.* signal 2/s),
    });
  });

  test.for(slow)('reach only the rails if there is no full connection', async () => {
    await using world = await World.open({
      backend: sim({ ranks: 4, lsaSize: 2, gin: { connection: 'rail', delivery: 'random' } }),
    });
    const values = await world.run(async (comm) => {
      const { rank } = comm;
      const [from, to] = [await comm.allocWindow('f32', 2), await comm.allocWindow('f32', 2)];
      await from.write([rank, rank]);
      for (const peer of [3 - rank]) {
        await expect(send(comm, from, 1, peer)).rejects.toMatchObject({
          code: 'NCCLTS_NOT_SUPPORTED',
          message: expect.stringMatching(
            /^send of 1 f32 to rank \d: the network connects rank \d only to ranks with the same LSA rank/,
          ),
        });
      }
      await group(comm, async () => {
        const peers = [(rank + 2) % 4, rank < 2 ? 1 - rank : 5 - rank];
        for (const [i, peer] of peers.entries()) {
          await send(comm, from, 1, peer);
          await recv(comm, to.symPtr(4 * i), 1, peer);
        }
      });
      return [...(await to.read())];
    });
    expect(values).toEqual([
      [2, 1],
      [3, 0],
      [0, 3],
      [1, 2],
    ]);
  });
});
