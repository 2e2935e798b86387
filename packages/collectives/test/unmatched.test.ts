import { sim } from '@nccl-ts/backend-sim';
import { group, recv, send } from '@nccl-ts/collectives';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { describe, expect, inject, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

type Program = (comm: Communicator, buffer: Window<'f32'>) => Promise<void>;

/** So many elements that no send fits into the slots of a link. */
const many = 20_000;

async function runs(program: Program, ranks = 2): Promise<void> {
  await inWorld(ranks, async (comm) => program(comm, await comm.allocWindow('f32', many)));
}

function usage(message: RegExp): object {
  return { code: 'NCCL_INVALID_USAGE', message: expect.stringMatching(message) };
}

describe('an unmatched send or receive is named', () => {
  test('when the world is closed without waiting for it', async () => {
    const closed = runs(async (comm, buffer) => {
      await group(comm, async () => {
        if (comm.rank === 1) await send(comm, buffer, 4, 0);
        if (comm.rank === 1) await send(comm, buffer.symPtr(0, 'u8'), 5, 0);
        await send(comm, buffer, 1, comm.rank);
        await recv(comm, buffer, 1, comm.rank);
      });
    });
    await expect(closed).rejects.toMatchObject(
      usage(/ended, .*: send of 4 f32 on rank 1 to rank 0; send of 5 u8 on rank 1 to rank 0\.$/),
    );
  });

  test('by the last rank that closes its communicator', async () => {
    await using world = await World.open({ backend: sim({ ranks: 3 }) });
    const endings = await world.run(async (comm) => {
      const of = await comm.split(comm.rank === 1 ? 1 : 0);
      const buffer = await of.allocWindow('f32', 4);
      if (comm.rank === 0) await send(of, buffer, 4, 1);
      // All ranks together create the state that they all need.
      if (comm.rank === 2) await send(of, buffer, 0, 0);
      if (comm.rank === 2) await group(of, async () => [await send(of, buffer, 1, 1), await recv(of, buffer, 1, 1)]);
      await of.synchronize();
      return of.close().then(
        () => 'nothing',
        (error: unknown) => String(error),
      );
    });
    expect(endings.toSorted()).toEqual([
      expect.stringMatching(/send of 4 f32 on rank 0 to rank 1\.$/),
      'nothing',
      'nothing',
    ]);
  });

  test('by the first collective operation of a communicator', async () => {
    const run = runs(async (comm, buffer) => {
      if (comm.rank === 1) await send(comm, buffer, 4, 0);
    });
    await expect(run).rejects.toMatchObject({
      code: 'NCCLTS_DEADLOCK',
      message: expect.stringMatching(/^send of 4 f32 on rank 1 to rank 0: the first operation .* Missing: rank 0/),
    });
  });

  test('by finalize, which then completes on all ranks', async () => {
    await inWorld(2, async (comm) => {
      const buffer = await comm.allocWindow('f32', 4);
      await group(comm, async () => {
        await send(comm, buffer, 4, 1);
        if (comm.rank === 1) await recv(comm, buffer, 4, 1);
        if (comm.rank === 1) await recv(comm, buffer, 4, 0).catch(() => undefined);
        if (comm.rank === 0) await send(comm, buffer, 3, 1);
      });
      await expect(comm.finalize()).rejects.toMatchObject(usage(/ended, .*: send of 3 f32 on rank 0 to rank 1\.$/));
      await expect(comm.finalize()).rejects.toMatchObject(usage(/is finalized/));
    });
  });

  test('by finalize, which does not wait for it', async () => {
    const run = runs(async (comm, buffer) => {
      if (comm.rank === 0) await recv(comm, buffer, 4, 1);
      else await group(comm, async () => [await send(comm, buffer, 1, 1), await recv(comm, buffer, 1, 1)]);
      await comm.finalize();
    });
    await expect(run).rejects.toMatchObject(usage(/have ended, .*: recv of 4 f32 on rank 0 from rank 1\.$/));
  });

  test('at the end of a run that would wait for it', async () => {
    const received = runs(async (comm, buffer) => {
      if (comm.rank === 0) await recv(comm, buffer, 4, 1);
      else await send(comm, buffer, 1, 1);
    });
    await expect(received).rejects.toMatchObject(usage(/have ended, .*: recv of 4 f32 on rank 0 from rank 1\.$/));
    const sent = runs(async (comm, buffer) => {
      if (comm.rank === 1) await send(comm, buffer, 4, 1);
      else for (const count of [4, many]) await send(comm, buffer, count, 1);
    });
    await expect(sent).rejects.toMatchObject(usage(/have ended, .*: send of 20000 f32 on rank 0 to rank 1\.$/));
  });

  test.for(slow)('by the deadlock report, if its rank waits', async () => {
    const run = runs(async (comm, buffer) => {
      await group(comm, async () => {
        if (comm.rank === 0) return recv(comm, buffer, 4, 1);
        await send(comm, buffer, 4, 1);
        return recv(comm, buffer, 4, 1);
      });
      await comm.synchronize();
    });
    await expect(run).rejects.toMatchObject({
      code: 'NCCLTS_DEADLOCK',
      message: expect.stringMatching(/kernel exchange \(recv of 4 f32 from rank 1\): rank 0, CTA 3/),
    });
  });

  test("if a rank's operation with itself is alone in a group", async () => {
    await runs(async (comm, buffer) => {
      const { rank } = comm;
      const alone = group(comm, async () => {
        await send(comm, buffer, 4, rank);
        await recv(comm, buffer, 4, rank);
        await recv(comm, buffer, 5, rank);
      });
      await expect(alone).rejects.toMatchObject(
        usage(new RegExp(`^The group ends, .*: recv of 5 f32 on rank ${rank} from rank ${rank}\\.$`)),
      );
    });
  });
});

describe('if a send and its receive differ, the later one fails', () => {
  test.each<readonly [string, Program]>([
    ['count', async (comm, buffer) => (comm.rank === 0 ? send(comm, buffer, 4, 1) : recv(comm, buffer, 3, 0))],
    [
      'type',
      async (comm, buffer) => (comm.rank === 0 ? send(comm, buffer, 4, 1) : recv(comm, buffer.symPtr(0, 'i32'), 4, 0)),
    ],
    [
      'order',
      async (comm, buffer) =>
        group(comm, async () => {
          const counts = comm.rank === 0 ? [4, 3] : [3, 4];
          for (const count of counts) {
            if (comm.rank === 0) await send(comm, buffer, count, 1);
            else await recv(comm, buffer, count, 0);
          }
        }),
    ],
    [
      'count, of a rank and itself',
      async (comm, buffer) =>
        group(comm, async () => {
          await send(comm, buffer, 4, comm.rank);
          await recv(comm, buffer, 3, comm.rank);
        }),
    ],
  ])('if a send and its receive differ in %s, the later one fails', async (_what, program) => {
    await expect(runs(program)).rejects.toMatchObject(
      usage(/^(send|recv) of \d (f32|i32) on rank . (to|from) rank . matches (send|recv) of \d (f32|i32) on rank/),
    );
  });
});

describe('a matched operation is not reported', () => {
  test('for a receive in a later call, group or run', async () => {
    await using world = await World.open({ backend: sim({ ranks: 2 }) });
    const buffers = await world.run(async (comm) => {
      const buffer = await comm.allocWindow('f32', 4);
      await buffer.write([comm.rank, 7]);
      await send(comm, buffer, 2, 1 - comm.rank);
      await group(comm, async () => send(comm, buffer.symPtr(4), 1, 1 - comm.rank));
      await comm.synchronize();
      await recv(comm, buffer.symPtr(8), 2, 1 - comm.rank);
      return buffer;
    });
    const values = await world.run(async (comm) => {
      const buffer = buffers[comm.rank];
      if (buffer === undefined) throw new RangeError('A rank without a buffer.');
      await group(comm, async () => recv(comm, buffer, 1, 1 - comm.rank));
      await comm.finalize();
      return buffer.read();
    });
    expect(values.map((value) => [...value])).toEqual([
      [7, 7, 1, 7],
      [7, 7, 0, 7],
    ]);
  });

  test('for a communicator that was aborted or whose operations were ended', async () => {
    const world = await World.open({ backend: sim({ ranks: 2 }) });
    await world.run(async (comm) => {
      const half = await comm.split(0);
      for (const one of [half, comm]) {
        const buffer = await one.allocWindow('f32', 4);
        await send(one, buffer, 4, 1 - comm.rank);
        await one.synchronize();
      }
      await half.abort();
      if (comm.rank === 0) await comm.shrink([1], { mode: 'abort' });
    });
    await expect(world.close()).resolves.toBeUndefined();
  });

  test.for(slow)('for operations in a graph, which may be launched any number of times', async () => {
    await using world = await World.open({ backend: sim({ ranks: 2 }) });
    const values = await world.run(async (comm) => {
      const buffer = await comm.allocWindow('f32', 4);
      await buffer.write([comm.rank + 1]);
      await group(comm, async () => [await send(comm, buffer, 1, comm.rank), await recv(comm, buffer, 1, comm.rank)]);
      if (comm.rank === 0) {
        await using graph = await comm.defaultStream.capture(async () => send(comm, buffer, 1, 1));
        for (let i = 0; i < 3; i++) await graph.launch();
      } else {
        for (let i = 1; i < 4; i++) await recv(comm, buffer.symPtr(4 * i), 1, 0);
      }
      return buffer.read();
    });
    expect(values[1]).toEqual(new Float32Array([2, 1, 1, 1]));
  });
});
