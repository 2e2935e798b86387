import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { f32, u32 } from '@nccl-ts/kernel';
import { describe, expect, it, vi } from 'vitest';
import { adds, allReduce, barriers, prints, strays } from './kernels.ts';
import { two, kept, texts, builtinThreads } from './support/worker-worlds.ts';

describe('kernels on worker threads', () => {
  it('sum over the ranks, launch after launch', async () => {
    const { backend, worlds } = kept({ ranks: 4, ...two });
    await using world = await World.open({ backend });
    expect(worlds[0]?.workers).toEqual({ threads: 2, note: undefined });
    const count = 10_000;
    const results = await world.run(async (comm) => {
      const win = await comm.allocWindow(f32, count);
      if (win === null) throw new Error('there is symmetric memory');
      await win.write(Float32Array.from({ length: count }, (_, i) => i + comm.rank));
      const dev = await comm.createDevComm({ lsaBarrierCount: 4 });
      for (let round = 0; round < 5; round++) {
        await comm.launch(allReduce, { grid: 4, block: 64 }, { comm: dev, win, count });
        if (round % 2 === 0) await comm.synchronize();
      }
      return win.read();
    });
    const expected = Float32Array.from({ length: count }, (_, i) => (4 * i + 6) * 256);
    for (const result of results) expect(result).toEqual(expected);
  });

  it('report every printed line before the launch ends', async () => {
    await using world = await World.open({ backend: sim({ ranks: 2, ...two }) });
    const printed = await world.run(async (comm) => {
      await comm.launch(prints, { grid: 6, block: 32 }, { times: 4 });
      return (await comm.synchronize()).printed;
    });
    const lines = Array.from({ length: 24 }, (_, i) => [Math.floor(i / 4), i % 4] as const);
    for (const [rank, found] of printed.entries()) {
      const expected = lines.map(([cta, line]) => `[rank ${rank} cta ${cta} thread 0] cta ${cta} line ${line}`);
      expect(found.toSorted()).toEqual(expected);
    }
  });
});

describe('errors on worker threads equal those on one thread', { timeout: 30_000 }, () => {
  it('for faults', async () => {
    const found = await texts({ ranks: 2 }, async (backend) => {
      await using world = await World.open({ backend });
      await world.run(async (comm) => {
        const win = await comm.allocWindow(u32, 64);
        if (win === null) throw new Error('there is symmetric memory');
        if (comm.rank === 0) await comm.launch(strays, { grid: 4, block: 64 }, { win, at: 1024 });
        await comm.synchronize();
      });
    });
    expect(found[0]).toContain('rank 0, CTA 1, thread 17');
    expect(found[1]).toBe(found[0]);
  });
});

describe('options', () => {
  it.each<SimOptions>([
    { ranks: 2, workers: 2 },
    { ranks: 2, workers: 2, engine: 'wasm', mode: 'check' },
    { ranks: 2, workers: 2, engine: 'wasm', trace: true },
    { ranks: 2, workers: 2, engine: 'wasm', strategy: 'late' },
    { ranks: 2, workers: 0, engine: 'wasm' },
  ])('refuses %o', (options) => {
    expect(() => sim(options)).toThrow(expect.objectContaining({ code: 'NCCL_INVALID_ARGUMENT' }));
  });

  it('fall back to one thread if the host has no others', async () => {
    // An arrow function is not a constructor.
    function refused(): never {
      throw new Error('no more threads today');
    }
    builtinThreads({ Worker: vi.fn(refused) });
    const { backend, worlds } = kept({ ranks: 1, ...two });
    await using world = await World.open({ backend });
    const dev = await world.comm(0).createDevComm({ lsaBarrierCount: 1 });
    await world.comm(0).launch(barriers, { grid: 1, block: 32 }, { comm: dev, rounds: 1 });
    await world.comm(0).synchronize();
    expect(worlds[0]?.workers).toEqual({
      threads: 1,
      note: 'cannot start a worker thread: no more threads today',
    });
  });

  it('fall back to one thread if memory cannot be shared, and state the reason', async () => {
    const { backend, worlds } = kept({ ranks: 2, ...two });
    const shared = globalThis.SharedArrayBuffer;
    Reflect.deleteProperty(globalThis, 'SharedArrayBuffer');
    try {
      await using world = await World.open({ backend });
      expect(worlds[0]?.workers.threads).toBe(1);
      expect(worlds[0]?.workers.note).toContain('cross-origin isolated');
      const results = await world.run(async (comm) => {
        const win = await comm.allocWindow(u32, 64);
        if (win === null) throw new Error('there is symmetric memory');
        await comm.launch(adds, { grid: 1, block: 1 }, { win, rounds: 1 });
        await comm.synchronize();
        return win.read();
      });
      expect(results[0]?.[0]).toBeGreaterThan(0);
    } finally {
      globalThis.SharedArrayBuffer = shared;
    }
  });
});
