import { DeadlockError, FaultError, sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { isNcclError } from '@nccl-ts/core';
import { u32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { adds, addsIn, answered, barriers, clocked, oneMeets, spins, strays } from './kernels.ts';
import { two, kept, thrownBy, texts, builtinThreads } from './support/worker-worlds.ts';

describe('kernels on worker threads', () => {
  it('run if they do nothing but wait', async () => {
    const { backend, worlds } = kept({ ranks: 8, ...two });
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const dev = await comm.createDevComm({ lsaBarrierCount: 2 });
      await comm.launch(barriers, { grid: 2, block: 4 }, { comm: dev, rounds: 200 });
      await comm.synchronize();
    });
    // This thread has given no CTA a turn.
    expect(worlds[0]?.turns).toBe(0);
  });

  it.each(['wasm', 'js'] as const)('lose no update to a word of any type, in %s', async (engine) => {
    const adds = addsIn(engine);
    await using world = await World.open({ backend: sim({ ranks: 2, ...two }) });
    // Long enough for both threads to work at the same time, and few enough for f32 to count.
    const [grid, block, rounds] = [2, 32, 10_000];
    const windows = await world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 64);
      if (win === null) throw new Error('there is symmetric memory');
      await comm.launch(adds, { grid, block }, { win, rounds });
      await comm.synchronize();
      return win;
    });
    const total = 2 * grid * block * rounds;
    const found = (await windows[0]?.read()) ?? new Uint32Array();
    expect([found[0], found[1], found[16], found[17]]).toEqual([total, block + rounds - 2, total, 0]);
    expect(new Float32Array(found.buffer, 128, 1)[0]).toBe(total);
    expect(new Float64Array(found.buffer, 136, 1)[0]).toBe(total);
    // As often as it interrupted no other.
    expect(found[2]).toBe(found[3]);
  });

  it('run with grids that are larger than the device', async () => {
    await using world = await World.open({ backend: sim({ ranks: 2, residentCtas: 3, ...two }) });
    const windows = await world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 64);
      if (win === null) throw new Error('there is symmetric memory');
      await comm.launch(adds, { grid: 100, block: 1 }, { win, rounds: 1 });
      await comm.synchronize();
      return win;
    });
    expect((await windows[0]?.read())?.[0]).toBe(200);
  });

  it('wait for kernels on the main thread, and the other way round', async () => {
    const { backend, worlds, executables } = kept({ ranks: 2, ...two });
    await using world = await World.open({ backend });
    const results = await world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 64);
      if (win === null) throw new Error('there is symmetric memory');
      const peer = 1 - comm.rank;
      if (comm.rank === 0) await comm.launch(clocked, { grid: 1, block: 32 }, { win, peer });
      else await comm.launch(answered, { grid: 1, block: 32 }, { win, peer });
      await comm.synchronize();
      return win.read();
    });
    expect(results.map((found) => [found[0], found[1], found[2]])).toEqual([
      [7, 0, 0],
      [0, 8, 9],
    ]);
    expect(results[0]?.[4]).toBeGreaterThan(0);
    // One has had its turns here, the other has not.
    expect(worlds[0]?.turns).toBeGreaterThan(0);
    expect(executables.map(({ name, stays }) => [name, stays])).toEqual(
      expect.arrayContaining([
        ['clocked', 'it reads the clock'],
        ['answered', undefined],
      ]),
    );
  });
});

describe('errors on worker threads equal those on one thread', { timeout: 30_000 }, () => {
  it('for a launch after a fault', async () => {
    await using world = await World.open({ backend: sim({ ranks: 1, ...two }) });
    const [found] = await world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 64);
      if (win === null) throw new Error('there is symmetric memory');
      await comm.launch(strays, { grid: 4, block: 64 }, { win, at: 1024 });
      expect(await thrownBy(comm.synchronize())).toBeInstanceOf(FaultError);
      await comm.launch(adds, { grid: 4, block: 1 }, { win, rounds: 3 });
      await comm.synchronize();
      return win.read();
    });
    expect(found?.[0]).toBe(12);
  });

  it('for deadlocks', async () => {
    const found = await texts({ ranks: 4 }, async (backend) => {
      await using world = await World.open({ backend });
      await world.run(async (comm) => {
        const dev = await comm.createDevComm({ lsaBarrierCount: 2 });
        await comm.launch(oneMeets, { grid: 2, block: 64 }, { comm: dev });
        await comm.synchronize();
      });
    });
    expect(found[0]).toContain('missing: ranks');
    expect(found[1]).toBe(found[0]);
  });

  it('for deadlocks of kernels on this thread and on others', async () => {
    await using world = await World.open({ backend: sim({ ranks: 2, ...two }) });
    const error = await thrownBy(
      world.run(async (comm) => {
        const win = await comm.allocWindow(u32, 64);
        if (win === null) throw new Error('there is symmetric memory');
        // Each waits for words that only the other kernel would set.
        if (comm.rank === 0) await comm.launch(clocked, { grid: 1, block: 32 }, { win, peer: 0 });
        else await comm.launch(answered, { grid: 1, block: 32 }, { win, peer: 1 });
        await comm.synchronize();
      }),
    );
    if (!(error instanceof DeadlockError)) throw error;
    expect(error.report.waiting.map(({ kernel, rank }) => `${kernel} of rank ${rank}`).toSorted()).toEqual([
      'answered of rank 1',
      'clocked of rank 0',
    ]);
  });

  it('for deadlocks caused by too little room', async () => {
    const found = await texts({ ranks: 2, residentCtas: 1 }, async (backend) => {
      await using world = await World.open({ backend });
      await world.run(async (comm) => {
        const dev = await comm.createDevComm({ lsaBarrierCount: 2 });
        const { rank } = comm;
        // On one rank CTA 0 comes first. On the other nothing does: its CTA waits forever, and
        // there is no room for another one.
        if (rank === 0) await comm.launch(barriers, { grid: 2, block: 4 }, { comm: dev, rounds: 1 });
        await comm.synchronize();
      });
    });
    expect(found[0]).toContain('deadlock');
    expect(found[1]).toBe(found[0]);
  });

  it('for loops that never end', async () => {
    const found = await texts({ ranks: 1, fuel: 5000 }, async (backend) => {
      await using world = await World.open({ backend });
      await world.run(async (comm) => {
        const win = await comm.allocWindow(u32, 64);
        if (win === null) throw new Error('there is symmetric memory');
        await comm.launch(spins, { grid: 1, block: 1 }, { win });
        await comm.synchronize();
      });
    });
    expect(found[0]).toMatch(/INCOMPLETE|goes on and on|without reaching a wait/);
    // The state of a CTA on another thread is not inspected, so only a single thread can name the
    // loop.
    const who = /kernel spins, rank \d+, CTA \d+, thread \d+/;
    const headOf = (text = ''): readonly unknown[] => [text.split('\n')[0], who.exec(text)?.[0]];
    expect(headOf(found[1])).toEqual(headOf(found[0]));
    expect(headOf(found[1])[1]).toBeDefined();
  });

  it('for cancelled launches, while others continue', async () => {
    await using world = await World.open({ backend: sim({ ranks: 2, ...two }) });
    const found = await world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 64);
      if (win === null) throw new Error('there is symmetric memory');
      const controller = new AbortController();
      const { signal } = controller;
      await comm.launch(answered, { grid: 1, block: 32, signal }, { win, peer: comm.rank });
      controller.abort(new Error('enough'));
      const error = await thrownBy(comm.synchronize());
      await comm.launch(adds, { grid: 2, block: 1 }, { win, rounds: 1 });
      await comm.synchronize();
      return error;
    });
    for (const error of found) expect(isNcclError(error, 'NCCLTS_ABORTED')).toBe(true);
  });

  it('for a world that closes with running launches', async () => {
    const world = await World.open({ backend: sim({ ranks: 1, ...two }) });
    const comm = world.comm(0);
    const win = await comm.allocWindow(u32, 64);
    if (win === null) throw new Error('there is symmetric memory');
    await comm.launch(spins, { grid: 1, block: 1 }, { win });
    const error = thrownBy(comm.synchronize());
    await world[Symbol.asyncDispose]();
    expect(isNcclError(await error)).toBe(true);
  });
});

describe('options', () => {
  it('fall back to one thread after the others have failed, and state the reason', async () => {
    const threads: { terminate(): Promise<number> }[] = [];
    const module = process.getBuiltinModule('node:worker_threads');
    class Noted extends module.Worker {
      constructor(...args: ConstructorParameters<typeof module.Worker>) {
        super(...args);
        threads.push(this);
      }
    }
    builtinThreads({ ...module, Worker: Noted });
    await using world = await World.open({ backend: sim({ ranks: 1, ...two }) });
    const comm = world.comm(0);
    const win = await comm.allocWindow(u32, 64);
    if (win === null) throw new Error('there is symmetric memory');
    await comm.launch(spins, { grid: 1, block: 1 }, { win });
    const error = thrownBy(comm.synchronize());
    await threads[0]?.terminate();
    expect(String(await error)).toContain('a worker thread failed: it ended with exit code 1');
    await comm.launch(adds, { grid: 1, block: 1 }, { win, rounds: 1 });
    await comm.synchronize();
    expect((await win.read())[0]).toBe(1);
  });
});
