import { group, recv, send, signal, putSignal, waitSignal } from '@nccl-ts/collectives';
import { describe, expect, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

/** More elements than all slots of a link hold, and not a whole number of slots. */
const many = 40_001;

describe('send and recv', () => {
  test('pass data around a ring, in one group', async () => {
    const results = await inWorld(3, async (comm) => {
      const [from, to] = [await comm.allocWindow('f32', many), await comm.allocWindow('f32', many)];
      await from.write(new Float32Array(many).fill(comm.rank + 1));
      for (let round = 0; round < 3; round++) {
        await group(comm, async () => {
          await send(comm, from, many, (comm.rank + 1) % 3);
          await recv(comm, to, many, (comm.rank + 2) % 3);
        });
      }
      return to.read();
    });
    expect(results.map((values) => [values[0], values.at(-1)])).toEqual([
      [3, 3],
      [1, 1],
      [2, 2],
    ]);
  });

  test('do nothing if there are no elements', async () => {
    const values = await inWorld(2, async (comm) => {
      const buffer = await comm.allocWindow('f32', 4);
      await send(comm, buffer, 0, 1 - comm.rank);
      await recv(comm, buffer, 0, 1 - comm.rank);
      return buffer.read();
    });
    expect(values[1]).toEqual(new Float32Array(4));
  });
});

describe('a group', () => {
  test('starts nothing if its callback fails', async () => {
    const values = await inWorld(2, async (comm) => {
      const buffer = await comm.allocWindow('f32', 4);
      const failing = group(comm, async () => {
        await recv(comm, buffer, 4, 1 - comm.rank);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      return buffer.read();
    });
    expect(values[0]).toEqual(new Float32Array(4));
  });

  test('nests, and the outermost group starts the operations', async () => {
    const values = await inWorld(2, async (comm) => {
      const [from, to] = [await comm.allocWindow('f32', 2), await comm.allocWindow('f32', 2)];
      await from.write([comm.rank, 7]);
      await group(comm, async () => {
        await group(comm, async () => send(comm, from, 2, 1 - comm.rank));
        await group(comm, async () => recv(comm, to, 2, 1 - comm.rank));
      });
      return to.read();
    });
    expect(values.map(([first]) => first)).toEqual([1, 0]);
  });
});

describe('one-sided operations', () => {
  test('store at a peer that waits for the signal', async () => {
    const values = await inWorld(3, async (comm) => {
      const [from, to] = [await comm.allocWindow('f32', 100), await comm.allocWindow('f32', 300)];
      await from.write(new Float32Array(100).fill(comm.rank + 1));
      for (let peer = 0; peer < 3; peer++) await putSignal(comm, from, 100, peer, to.symPtr(400 * comm.rank));
      await waitSignal(comm, [{ peer: 0 }, { peer: 1 }, { peer: 2 }]);
      return to.read();
    });
    for (const value of values) expect([value[0], value[150], value[299]]).toEqual([1, 2, 3]);
  });

  test('fail without waiting if one of the signals cannot come', async () => {
    await inWorld(2, async (comm) => {
      await signal(comm, 1 - comm.rank);
      const wrong = waitSignal(comm, [{ peer: 1 - comm.rank }, { peer: 2 }]);
      await expect(wrong).rejects.toMatchObject({ code: 'NCCL_INVALID_ARGUMENT' });
      await waitSignal(comm, [{ peer: 1 - comm.rank }]);
      await comm.synchronize();
    });
  });

  test('count signals', async () => {
    await inWorld(2, async (comm) => {
      const peer = 1 - comm.rank;
      for (let i = 0; i < 5; i++) await signal(comm, peer);
      await waitSignal(comm, [{ peer, opCount: 2 }]);
      await waitSignal(comm, [{ peer, opCount: 3 }]);
      await comm.synchronize();
    });
    // From neighbours: twice from one of them, with different numbers of elements.
    await inWorld(3, async (comm) => {
      for (let peer = 0; peer < 3; peer++) for (let i = 0; i <= comm.rank; i++) await signal(comm, peer);
      await waitSignal(comm, [{ peer: 0 }, { peer: 1 }, { peer: 2 }, { peer: 2, opCount: 2 }, { peer: 1 }]);
      await comm.synchronize();
    });
    const tooMany = inWorld(2, async (comm) => {
      await signal(comm, 1 - comm.rank);
      await waitSignal(comm, [{ peer: 1 - comm.rank, opCount: 2 }]);
      await comm.synchronize();
    });
    await expect(tooMany).rejects.toMatchObject({ code: 'NCCLTS_DEADLOCK' });
  });
});
