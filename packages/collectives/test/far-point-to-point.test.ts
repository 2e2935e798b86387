import { sim } from '@nccl-ts/backend-sim';
import { allReduce, group, recv, send } from '@nccl-ts/collectives';
import { World, type Communicator } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { describe, expect, test } from 'vitest';
import { checked, type Shape } from './support/checked.ts';

/** All ranks alone, domains of two and of three, the most of either. */
const shapes: readonly Shape[] = [
  { ranks: 2, lsaSize: 1 },
  { ranks: 5, lsaSize: 1 },
  { ranks: 4, lsaSize: 2 },
  { ranks: 6, lsaSize: 3 },
  { ranks: 8, lsaSize: 2 },
];

/** Elements from one rank to another: nothing, a few, or parts of more than one slot of a link, by both. */
function countOf(from: number, to: number): number {
  return [0, 3, 2048, 2049, 5001][(3 * from + to) % 5] ?? 0;
}

function valueOf(from: number, to: number, i: number): number {
  return 100_000 * (from + 1) + 10_000 * to + i;
}

/** Every rank sends to every rank, itself included, in one group; the places of the parts are not aligned. */
async function exchangeAll(comm: Communicator): Promise<number> {
  const { rank, nRanks } = comm;
  const most = 5004;
  const from = await comm.allocWindow('i32', nRanks * most);
  const to = await comm.allocWindow('i32', nRanks * most);
  let wrong = 0;
  for (let round = 0; round < 3; round++) {
    const sent = Array.from({ length: nRanks * most }, (_, i) =>
      valueOf(rank, Math.floor(i / most), (i % most) + round),
    );
    await from.write(sent);
    await to.write(Array.from({ length: nRanks * most }, () => -1));
    await group(comm, async () => {
      for (let peer = 0; peer < nRanks; peer++) {
        await recv(comm, to.symPtr(4 * (peer * most + 1)), countOf(peer, rank), peer);
        await send(comm, from.symPtr(4 * peer * most), countOf(rank, peer), peer);
      }
    });
    (await to.read()).forEach((value, place) => {
      const [peer, i] = [Math.floor(place / most), (place % most) - 1];
      const isPart = i >= 0 && i < countOf(peer, rank);
      if (value !== (isPart ? valueOf(peer, rank, i + round) : -1)) wrong++;
    });
  }
  return wrong;
}

describe('send and recv between load-store domains', () => {
  test.each(shapes)('of every pair of $ranks ranks, $lsaSize in a domain', { timeout: 120_000 }, async (shape) => {
    await using world = await World.open({ backend: sim(shape) });
    expect(await world.run(exchangeAll)).toEqual(Array.from({ length: shape.ranks }, () => 0));
  });

  test.each([1, 2, 3, 4])(
    'are clean in check mode, whatever comes first: seed %i',
    { timeout: 120_000 },
    async (seed) => {
      const { results, findings } = await checked({ ranks: 4, lsaSize: 2 }, exchangeAll, seed);
      expect(findings).toEqual([]);
      expect(results).toEqual([0, 0, 0, 0]);
    },
  );

  test('fill their slots many times over, and again in the next call', { timeout: 120_000 }, async () => {
    const count = 19 * 2048 + 5;
    const { results, findings } = await checked({ ranks: 4, lsaSize: 2 }, async (comm) => {
      const [from, to] = [await comm.allocWindow('f32', count), await comm.allocWindow('f32', count)];
      const peer = (comm.rank + 3) % 4;
      const seen: number[] = [];
      for (let call = 0; call < 2; call++) {
        await from.write(Float32Array.from({ length: count }, (_, i) => i + 1000 * call + comm.rank));
        await group(comm, async () => {
          await send(comm, from, count, peer);
          await recv(comm, to, count, (comm.rank + 1) % 4);
        });
        const values = await to.read();
        seen.push(values.findIndex((value, i) => value !== i + 1000 * call + ((comm.rank + 1) % 4)));
      }
      return seen;
    });
    expect(findings).toEqual([]);
    expect(results).toEqual(Array.from({ length: 4 }, () => [-1, -1]));
  });

  test('take turns with collectives: what was sent may be written anew behind them', async () => {
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
        // In place: over what was sent.
        await allReduce(comm, buffer, buffer, 100, RedOp.Sum);
      }
      await comm.finalize();
      return [(await buffer.read())[99], (await got.read())[99], (await got.read())[199]];
    });
    expect(findings).toEqual([]);
    expect(results).toEqual(Array.from({ length: 4 }, () => [40, 10, 10]));
  });

  test('wait for each other in any order of calls', async () => {
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

  test('without a match are named', async () => {
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
      message: expect.stringMatching(/are over, .*: send of 4 f32 on rank 1 to rank 2\.$/),
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

  test('go along the rails alone, where the network does', async () => {
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
            /^send of 1 f32 to rank \d: the network leads from rank \d only to ranks at its place/,
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
