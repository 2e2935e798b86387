import { f32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { World } from '@nccl-ts/communicator';
import { memoryBackend } from './memory-backend/memory-backend.ts';
import { empty } from './memory-backend/kernels.ts';

describe('a backend learns the states of host programs', () => {
  it('running, waiting for other ranks, running, done', async () => {
    const backend = memoryBackend({ ranks: 2 });
    await using world = await World.open({ backend });
    const device = backend.worlds[0];
    await world.run(async (comm) => {
      if (comm.rank === 1) await new Promise((resolve) => setImmediate(resolve));
      await comm.allocWindow(f32, 1);
    });
    expect(device?.stateChanges).toEqual(['0 waiting', '0 running', '0 done', '1 done', '0 running', '1 running']);
  });

  it('never waiting if no wait is needed', async () => {
    const backend = memoryBackend({ ranks: 1 });
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const window = await comm.allocWindow(f32, 1);
      await window.write([1]);
      await comm.synchronize();
      expect(await window.read()).toEqual(new Float32Array([1]));
      await comm.createDevComm();
      await window.deregister();
    });
    expect(backend.worlds[0]?.stateChanges).toEqual(['0 done', '0 running']);
  });

  it('waiting in synchronize, in a read, and for launches that a callback left', async () => {
    const backend = memoryBackend({ ranks: 1, held: true });
    await using world = await World.open({ backend });
    const device = backend.worlds[0];
    const waits: (string | undefined)[] = [];
    const finish = (): void => {
      setImmediate(() => {
        waits.push(device?.hostStates[0]);
        device?.finish(0);
      });
    };
    await world.run(async (comm) => {
      const window = await comm.allocWindow(f32, 1);
      const shape = { grid: 1, block: 1 };
      await comm.launch(empty, shape, {});
      finish();
      expect(await comm.synchronize()).toEqual({ launches: 1, printed: [] });
      await comm.launch(empty, shape, {});
      finish();
      await window.read();
      await comm.launch(empty, shape, {});
      finish();
    });
    expect(waits).toEqual(['waiting', 'waiting', 'waiting']);
  });

  it('running while a copy is in progress beside a wait', async () => {
    const backend = memoryBackend({ ranks: 1, held: true });
    await using world = await World.open({ backend });
    const device = backend.worlds[0];
    await world.run(async (comm) => {
      const stream = await comm.createStream();
      const window = await comm.allocWindow(f32, 1);
      await comm.launch(empty, { grid: 1, block: 1, stream }, {});
      const waiting = stream.synchronize();
      expect(device?.hostStates).toEqual(['waiting']);
      const copying = window.write([1]);
      await Promise.resolve();
      expect(device?.hostStates).toEqual(['running']);
      await copying;
      // The kernel may wait for work after the copy.
      expect(device?.hostStates).toEqual(['running']);
      device?.finish(0);
      await waiting;
    });
    expect(device?.launches).toHaveLength(1);
  });
});
