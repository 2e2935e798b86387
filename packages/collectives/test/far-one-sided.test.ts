import { sim } from '@nccl-ts/backend-sim';
import { putSignal, signal, waitSignal } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { describe, expect, inject, test } from 'vitest';
import { checked } from './support/checked.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

describe('one-sided operations between load-store domains', () => {
  test('make earlier puts visible to a rank that has waited for the last signal, and the source may then be overwritten', async () => {
    const { results, findings } = await checked({ ranks: 4, lsaSize: 2 }, async (comm) => {
      const far = (comm.rank + 2) % 4;
      const [from, to] = [await comm.allocWindow('i32', 1), await comm.allocWindow('i32', 5)];
      for (let i = 0; i < 5; i++) {
        await from.write([10 * comm.rank + i]);
        await putSignal(comm, from, 1, far, to.symPtr(4 * i));
      }
      await waitSignal(comm, [{ peer: far, opCount: 2 }]);
      await waitSignal(comm, [{ peer: far, opCount: 3 }]);
      return [...(await to.read())];
    });
    expect(findings).toEqual([]);
    expect(results).toEqual([20, 30, 0, 10].map((first) => Array.from({ length: 5 }, (_, i) => first + i)));
  });

  test.for(slow)('that lack a signal are reported as a deadlock that names them', async () => {
    await using world = await World.open({ backend: sim({ ranks: 4, lsaSize: 2 }) });
    const waiting = world.run(async (comm) => {
      const far = (comm.rank + 2) % 4;
      await signal(comm, far);
      await waitSignal(comm, [{ peer: far, opCount: comm.rank === 1 ? 2 : 1 }]);
      await comm.synchronize();
    });
    await expect(waiting).rejects.toMatchObject({
      code: 'NCCLTS_DEADLOCK',
      message: expect.stringMatching(/kernel farWaitSignal.*: rank 1, CTA 0.* signal 11/s),
    });
  });

  test('reach only the rails if there is no full connection', async () => {
    await using world = await World.open({
      backend: sim({ ranks: 4, lsaSize: 2, gin: { connection: 'rail', delivery: 'random' } }),
    });
    const values = await world.run(async (comm) => {
      const { rank } = comm;
      const [from, to] = [await comm.allocWindow('i32', 1), await comm.allocWindow('i32', 4)];
      await from.write([rank + 1]);
      const outOfReach = {
        code: 'NCCLTS_NOT_SUPPORTED',
        message: expect.stringMatching(/only to ranks with the same LSA rank/),
      };
      await expect(putSignal(comm, from, 1, 3 - rank, to.symPtr())).rejects.toMatchObject(outOfReach);
      await expect(waitSignal(comm, [{ peer: rank }, { peer: 3 - rank }])).rejects.toMatchObject(outOfReach);
      const peers = [rank, (rank + 2) % 4, rank < 2 ? 1 - rank : 5 - rank];
      for (const peer of peers) await putSignal(comm, from, 1, peer, to.symPtr(4 * rank));
      await waitSignal(
        comm,
        peers.map((peer) => ({ peer })),
      );
      return [...(await to.read())];
    });
    expect(values).toEqual([
      [1, 2, 3, 0],
      [1, 2, 0, 4],
      [1, 0, 3, 4],
      [0, 2, 3, 4],
    ]);
  });
});
