import { isNcclError, NcclError } from '@nccl-ts/core';
import { f32 } from '@nccl-ts/kernel';
import { WindowFlags } from '@nccl-ts/window';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { World, type Communicator } from '@nccl-ts/communicator';
import { memoryBackend } from './memory-backend/memory-backend.ts';
import { empty } from './memory-backend/kernels.ts';
import { rejection } from './rejection.ts';

/** Returns the outcome on each rank of a new world: its result, or its error. */
async function outcomes(ranks: number, call: (comm: Communicator) => Promise<unknown>): Promise<readonly unknown[]> {
  await using world = await World.open({ backend: memoryBackend({ ranks }) });
  return await Promise.all(world.localRanks.map((rank) => call(world.comm(rank)).catch((error: unknown) => error)));
}

describe('ranks that disagree', () => {
  it('get one error with all requests', async () => {
    const errors = await outcomes(4, (comm) => comm.allocWindow(f32, comm.rank === 3 ? 8 : 4));
    expect(new Set(errors).size).toBe(1);
    expect(errors[0]).toHaveProperty('code', 'NCCL_INVALID_ARGUMENT');
    expect((errors[0] as NcclError).message).toMatchInlineSnapshot(
      `"allocWindow (collective call 1): the ranks disagree. ranks 0, 1 and 2 requested bytes 16; rank 3 requested bytes 32. All ranks must make the same request."`,
    );
  });

  it('get an error about names', async () => {
    const [error] = await outcomes(2, (comm) => comm.allocWindow(f32, 4, { name: ['data', 'flags'][comm.rank] ?? '' }));
    expect((error as NcclError).message).toMatchInlineSnapshot(
      `"allocWindow (collective call 1): the ranks disagree. rank 0 requested name data; rank 1 requested name flags. All ranks must make the same request."`,
    );
  });

  it('get an error about flags', async () => {
    const flags = [WindowFlags.CollSymmetric, WindowFlags.Default] as const;
    const [error] = await outcomes(2, (comm) => comm.allocWindow(f32, 4, { flags: flags[comm.rank] ?? 0 }));
    expect((error as NcclError).message).toMatchInlineSnapshot(
      `"allocWindow (collective call 1): the ranks disagree. rank 0 requested flags CollSymmetric; rank 1 requested flags Default. All ranks must make the same request."`,
    );
  });

  it('get an error about requirements, including omitted ones', async () => {
    const [error] = await outcomes(2, (comm) => comm.createDevComm(comm.rank === 0 ? { lsaBarrierCount: 16 } : {}));
    expect((error as NcclError).code).toBe('NCCL_INVALID_ARGUMENT');
    expect((error as NcclError).message).toMatchInlineSnapshot(
      `"createDevComm (collective call 1): the ranks disagree. rank 0 requested lsaBarrierCount 16; rank 1 requested lsaBarrierCount 0. All ranks must make the same request."`,
    );
  });

  it('may pass a team from their own view', async () => {
    const created = await outcomes(2, (comm) =>
      comm.createDevComm({ teamRequirementsList: [{ team: comm.teamWorld() }] }),
    );
    expect(created).toMatchObject([{ kind: 'devComm' }, { kind: 'devComm' }]);
  });

  it('may agree later', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 2 }) });
    const windows = await Promise.all(
      world.localRanks.map(async (rank) => {
        await rejection(world.comm(rank).allocWindow(f32, rank + 1));
        return world.comm(rank).allocWindow(f32, 3);
      }),
    );
    expect(windows.map((window) => window.bytes)).toEqual([12, 12]);
  });
});

describe('ranks that make different calls', () => {
  it('get an error that names both calls', async () => {
    const errors = await outcomes(3, async (comm) =>
      comm.rank === 1 ? comm.createDevComm() : comm.allocWindow(f32, 1),
    );
    expect(new Set(errors).size).toBe(1);
    expect(errors[0]).toHaveProperty('code', 'NCCL_INVALID_USAGE');
    expect((errors[0] as NcclError).message).toMatchInlineSnapshot(
      `"Collective call 1: rank 0 called allocWindow, rank 1 called createDevComm. All ranks must make the same collective calls in the same order."`,
    );
  });

  it('may agree later', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 3 }) });
    const made = await Promise.all(
      world.localRanks.map(async (rank) => {
        const comm = world.comm(rank);
        await rejection(rank === 2 ? comm.createDevComm() : comm.allocWindow(f32, 1));
        await comm.createDevComm();
        return comm.allocWindow(f32, 1);
      }),
    );
    expect(made).toHaveLength(3);
  });
});

describe('a rank that never makes its call', () => {
  it('has returned, which is detected without the backend', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 3 }) });
    const error = await rejection(world.run(async (comm) => (comm.rank === 1 ? undefined : comm.allocWindow(f32, 1))));
    expect(error.code).toBe('NCCLTS_DEADLOCK');
    expect(error.message).toMatchInlineSnapshot(
      `"allocWindow (collective call 1) cannot complete: a missing rank can never call it. Present: ranks 0 and 2. Missing: rank 1 has returned."`,
    );
  });

  it('had already returned when the others called', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 2 }) });
    const run = world.run(async (comm) => {
      if (comm.rank === 1) return;
      await new Promise((resolve) => setImmediate(resolve));
      await comm.createDevComm();
    });
    expect((await rejection(run)).message).toMatchInlineSnapshot(
      `"createDevComm (collective call 1) cannot complete: a missing rank can never call it. Present: rank 0. Missing: rank 1 has returned."`,
    );
  });

  it('waits for a kernel that waits for others, which the backend detects', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 3, held: true }) });
    const run = world.run(async (comm) => {
      if (comm.rank !== 2) return comm.allocWindow(f32, 1);
      await comm.launch(empty, { grid: 1, block: 1 }, {});
      return comm.synchronize();
    });
    const error = await rejection(run);
    expect(error.code).toBe('NCCLTS_DEADLOCK');
    expect(error.message).toMatchInlineSnapshot(
      `"allocWindow (collective call 1) cannot complete: no rank can continue. Present: ranks 0 and 1. Missing: rank 2 waits in synchronize."`,
    );
  });

  it("is reported with the backend's error, if it has one", async () => {
    const stall = new NcclError('NCCLTS_DEADLOCK', 'kernel empty waits for rank 0');
    await using world = await World.open({ backend: memoryBackend({ ranks: 2, held: true, stallError: () => stall }) });
    const seen: unknown[] = [];
    const run = world.run(async (comm) => {
      try {
        if (comm.rank === 0) await comm.allocWindow(f32, 1);
        await comm.launch(empty, { grid: 1, block: 1 }, {});
        await comm.synchronize();
      } catch (error) {
        seen.push(error);
        throw error;
      }
    });
    await expect(run).rejects.toBe(stall);
    expect(seen).toEqual([stall, stall]);
  });

  it('makes its call late and gets the same error', async () => {
    const backend = memoryBackend({ ranks: 2, held: true });
    await using world = await World.open({ backend });
    const [early, late] = await world.run(async (comm) => {
      if (comm.rank === 0) {
        const error = await rejection(comm.allocWindow(f32, 1));
        backend.worlds[0]?.finish(1);
        return error;
      }
      await comm.launch(empty, { grid: 1, block: 1 }, {});
      await comm.synchronize();
      return rejection(comm.allocWindow(f32, 1));
    });
    expect(early?.code).toBe('NCCLTS_DEADLOCK');
    expect(late).toBe(early);
  });
});

describe('the order of collective operations', () => {
  it('is the order of the calls, awaited or not', async () => {
    const windows = await outcomes(3, (comm) =>
      Promise.all([comm.allocWindow(f32, 1), comm.createDevComm(), comm.allocWindow(f32, 2)]),
    );
    expect(windows).toMatchObject(Array.from({ length: 3 }, () => [{ bytes: 4 }, { kind: 'devComm' }, { bytes: 8 }]));
  });

  it('is independent of delays of the ranks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(5), { minLength: 3, maxLength: 3 }), { minLength: 2, maxLength: 4 }),
        async (delays) => {
          const backend = memoryBackend({ ranks: delays.length });
          await using world = await World.open({ backend });
          const sizes = await world.run(async (comm) => {
            const got: number[] = [];
            for (const [i, ticks] of (delays[comm.rank] ?? []).entries()) {
              for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
              const window = await comm.allocWindow(f32, i + 1);
              got.push(window.bytes);
            }
            return got;
          });
          expect(sizes).toEqual(delays.map(() => [4, 8, 12]));
          expect(backend.worlds[0]?.live.windows).toBe(3);
        },
      ),
      { seed: 1, numRuns: 50 },
    );
  });
});

describe('a collective call that fails in the backend', () => {
  it('fails on all ranks with that error, and frees its resources', async () => {
    for (const [method, call] of [
      ['alloc', 2],
      ['registerWindow', 1],
    ] as const) {
      const failure = new NcclError('NCCLTS_OUT_OF_MEMORY', `${method} ${call}`);
      const backend = memoryBackend({
        ranks: 3,
        fail: (name, n) => (name === method && n === call ? failure : undefined),
      });
      await using world = await World.open({ backend });
      const errors = await Promise.all(world.localRanks.map((rank) => rejection(world.comm(rank).allocWindow(f32, 1))));
      expect(errors).toEqual([failure, failure, failure]);
      expect(backend.worlds[0]?.live.buffers).toBe(0);
      const [window] = await Promise.all(world.localRanks.map((rank) => world.comm(rank).allocWindow(f32, 1)));
      expect(window?.isOpen).toBe(true);
    }
  });

  it('is reported as an error even if the backend threw something else', async () => {
    // eslint-disable-next-line
    const backend = memoryBackend({
      ranks: 2,
      fail: (name) => (name === 'createDevComm' ? ('broken' as unknown as Error) : undefined),
    });
    await using world = await World.open({ backend });
    const errors = await Promise.all(world.localRanks.map((rank) => rejection(world.comm(rank).createDevComm())));
    expect(errors.every((error) => isNcclError(error, 'NCCL_INTERNAL_ERROR'))).toBe(true);
  });
});
