import { sim, DeadlockError } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { isNcclError } from '@nccl-ts/core';
import { f32 } from '@nccl-ts/kernel';
import type { ExposedMemory } from '@nccl-ts/transport';
import { describe, expect, inject, it } from 'vitest';
import { allReduce } from './worker/kernels.ts';
import { run, type Shape } from './support/worlds.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function floats(exposed: ExposedMemory): Float32Array {
  if (exposed.kind !== 'bytes') throw new Error(exposed.kind);
  const { buffer, byteOffset, byteLength } = exposed.bytes;
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}

const small: Shape = { ranks: 4, grid: 2, block: 64, count: 1024 };

describe('worlds', () => {
  it('refuse memory that belongs to the program', async () => {
    await using world = await World.open({ backend: sim({ ranks: 1 }) });
    const error = await world
      .comm(0)
      .adoptMemory(new Uint8Array(4096))
      .catch((thrown: unknown) => thrown);
    expect(isNcclError(error, 'NCCLTS_NOT_SUPPORTED')).toBe(true);
    expect(String(error)).toContain('backend sim takes no memory');
  });

  it.each([{ ranks: 2 }, { ranks: 2, engine: 'wasm' }, { ranks: 2, engine: 'wasm', workers: 2 }] as const)(
    'keep their memory in this process: %o',
    async (options) => {
      await using world = await World.open({ backend: sim(options) });
      const count = 1000;
      const sums = await world.run(async (comm) => {
        const win = await comm.allocWindow(f32, count);
        floats(await win.expose()).fill(comm.rank + 1);
        const devComm = await comm.createDevComm({ lsaBarrierCount: 1 });
        await comm.launch(allReduce, { grid: 1, block: 64 }, { comm: devComm, win, count });
        return floats(await win.expose()).slice();
      });
      expect(sums).toEqual([0, 1].map(() => new Float32Array(count).fill(3)));
    },
  );

  it('do not expose memory if hosts are checked', async () => {
    await using world = await World.open({ backend: sim({ ranks: 1, mode: 'check' }) });
    const win = await world.comm(0).allocWindow(f32, 1);
    const error = await failure(win.expose());
    expect(isNcclError(error, 'NCCLTS_NOT_SUPPORTED')).toBe(true);
  });

  it.for(slow)('name the rank whose launch is missing', async () => {
    const error = await failure(run(small, (rank) => (rank === 2 ? 'none' : 'allReduce')));
    expect(isNcclError(error, 'NCCLTS_DEADLOCK')).toBe(true);
    if (!(error instanceof DeadlockError)) throw error;
    expect(error.report.missing.map(({ rank }) => rank)).toEqual([2]);
    expect(error.message).toContain('rank 2: no kernel launched');
    // The kind of quotes depends on the tool that loaded this file.
    expect(error.message).toMatch(/bar\.sync\(coopCta\(\), .acquire.\)/);
  });

  it('name the ranks that are missing at a barrier where one rank waits', async () => {
    const error = await failure(run(small, () => 'oneMeets'));
    if (!(error instanceof DeadlockError)) throw error;
    expect(error.report.missing.map(({ rank }) => rank).toSorted((a, b) => a - b)).toEqual([0, 2, 3]);
    expect(error.report.waiting.every(({ rank }) => rank === 1)).toBe(true);
  });

  it('never hang if every rank leaves out a barrier', async () => {
    await expect(run(small, () => 'unordered')).resolves.toHaveLength(4);
  });
});
