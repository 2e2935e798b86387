import { Communicator, World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { empty } from './memory-backend/kernels.ts';
import { memoryBackend } from './memory-backend/memory-backend.ts';
import { rejection } from './rejection.ts';

const shape = { grid: 1, block: 32 } as const;
const nothing = { buffers: 0, windows: 0, devComms: 0, streams: 0, groups: 0 };

/** Returns the message of each call's rejection. */
async function messages(calls: readonly Promise<unknown>[]): Promise<readonly string[]> {
  return Promise.all(calls.map(async (call) => (await rejection(call)).message));
}

describe('split', () => {
  it('orders by key and then by rank, and gives no communicator to a rank without a color', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 6, groups: true }) });
    const keys = [5, 5, 0, 0, -1, 0];
    const found = await world.run(async (comm) => {
      const made = await comm.split(comm.rank === 3 ? null : 0, keys[comm.rank]);
      expect(made instanceof Communicator || made === null).toBe(true);
      return made === null ? null : [made.rank, made.nRanks];
    });
    expect(found).toEqual([[3, 5], [4, 5], [1, 5], null, [0, 5], [2, 5]]);
  });

  it('makes independent communicators, which end with the world', async () => {
    const backend = memoryBackend({ ranks: 4, groups: true });
    const world = await World.open({ backend });
    await world.run(async (comm) => {
      const half = await comm.split(comm.rank % 2);
      const quarter = await half.split(half.rank);
      await comm.close();
      await half.allocWindow(f32, 4);
      expect([half.isOpen, quarter.isOpen]).toEqual([true, true]);
      if (comm.rank % 2 === 0) await half.close();
      const memory = await quarter.memAlloc(4096);
      expect(memory.rank).toBe(0);
    });
    const [opened] = backend.worlds;
    expect(opened?.live).toMatchObject({ groups: 5, windows: 1 });
    await world.close();
    expect(opened?.live).toEqual(nothing);
  });

  it('shares memory and streams with the original, but not windows', async () => {
    const backend = memoryBackend({ ranks: 2, groups: true });
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const alone = await comm.split(comm.rank);
      const memory = await comm.memAlloc(4096);
      expect((await alone.registerWindow(memory))?.bytes).toBe(4096);
      await alone.launch(empty, { ...shape, stream: comm.defaultStream }, {});
      await alone.launch(empty, shape, {});
    });
    const streams = backend.worlds[0]?.launches.map(({ config }) => config.stream) ?? [];
    expect(new Set(streams).size).toBe(4);
    expect(streams.map(({ rank }) => rank).toSorted((a, b) => a - b)).toEqual([0, 0, 1, 1]);
  });

  it('refuses wrong arguments', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 2 }) });
    const comm = world.comm(0);
    expect(await messages([comm.split(-1), comm.split(1.5), comm.split(0, Number.NaN)])).toEqual([
      'split: color must be an integer from 0 to 2147483647; given -1.',
      'split: color must be an integer from 0 to 2147483647; given 1.5.',
      'split: key must be an integer from -2147483647 to 2147483647; given NaN.',
    ]);
    const errors = await Promise.all([0, 1].map(async (rank) => rejection(world.comm(rank).split(rank))));
    expect(errors.map(({ code }) => code)).toEqual(['NCCLTS_NOT_SUPPORTED', 'NCCLTS_NOT_SUPPORTED']);
    expect(errors[0]?.message).toMatchInlineSnapshot(
      `"A communicator of 1 of the world's 2 ranks, or of all in another order: backend memory does not support it. Open a separate world for these ranks, or use a team of the world."`,
    );
    const whole = await Promise.all([0, 1].map(async (rank) => world.comm(rank).split(9)));
    expect(whole.map(({ rank, nRanks }) => [rank, nRanks])).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });

  it('requires all ranks of a world in one process', async () => {
    const backend = memoryBackend({ ranks: 4, localRanks: [1, 2], groups: true });
    await using world = await World.open({ backend });
    const error = await rejection(world.comm(1).split(0));
    expect(error.code).toBe('NCCLTS_NOT_SUPPORTED');
    expect(error.message).toMatchInlineSnapshot(
      `"split: it takes all ranks of a world in one process; this process has 2 of 4. Open another world for these ranks."`,
    );
  });

  it.each([
    ['createGroup', 2],
    ['createStream', 8],
  ] as const)('leaves no resources behind if %s fails', async (failing, at) => {
    const fail = (method: string, call: number): Error | undefined =>
      method === failing && call === at ? new Error('no more') : undefined;
    const backend = memoryBackend({ ranks: 4, groups: true, fail });
    await using world = await World.open({ backend });
    const calls = world.localRanks.map(async (rank) => world.comm(rank).split(rank % 2));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes).toMatchObject(outcomes.map(() => ({ status: 'rejected', reason: { message: 'no more' } })));
    expect(backend.worlds[0]?.live).toEqual({ ...nothing, streams: 4 });
  });
});

describe('shrink', () => {
  it('works without the excluded ranks', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 5, groups: true }) });
    const found = await world.run(async (comm) => {
      if (comm.rank === 1 || comm.rank === 3) return undefined;
      const { rank, nRanks } = await comm.shrink([3, 1]);
      await comm.shrink([1, 3, 3], { mode: 'abort' });
      return [rank, nRanks];
    });
    expect(found).toEqual([[0, 3], undefined, [1, 3], undefined, [2, 3]]);
  });

  it('refuses wrong arguments', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 3, groups: true }) });
    const comm = world.comm(1);
    const calls = [comm.shrink([]), comm.shrink([3]), comm.shrink([0, 1]), comm.shrink([0], { mode: 'x' as never })];
    expect(await messages(calls)).toMatchInlineSnapshot(`
      [
        "shrink: excludedRanks must be an array with at least one rank; given an array of 0.",
        "shrink: excludedRanks must hold ranks, from 0 to 2; given 3.",
        "shrink: a rank that is excluded does not call it; rank 1 is, and did.",
        "shrink: mode must be 'default' or 'abort'; given "x".",
      ]
    `);
  });

  it('ends waiting work with mode abort', async () => {
    await using world = await World.open({
      backend: memoryBackend({ ranks: 3, groups: true, cancels: true, held: true }),
    });
    const [first, second] = [world.comm(0), world.comm(2)];
    await first.launch(empty, shape, {});
    const waiting = Promise.allSettled([first.synchronize(), second.allocWindow(f32, 4)]);
    const shrunk = await Promise.all([first, second].map(async (comm) => comm.shrink([1], { mode: 'abort' })));
    expect(shrunk.map(({ rank }) => rank)).toEqual([0, 1]);
    expect(await waiting).toMatchObject([
      { status: 'rejected', reason: { message: 'cancelled' } },
      { status: 'rejected', reason: { code: 'NCCLTS_ABORTED' } },
    ]);
    // No rank gets the error twice, and the communicator stays usable.
    await first.synchronize();
    expect(first.getAsyncError()?.message).toContain('cancelled');
  });
});

describe('abort', () => {
  it('ends pending work, and frees resources', async () => {
    const backend = memoryBackend({ ranks: 2, cancels: true, held: true });
    await using world = await World.open({ backend });
    const [comm, other] = [world.comm(0), world.comm(1)];
    await comm.memAlloc(64);
    await comm.launch(empty, shape, {});
    const waiting = Promise.allSettled([comm.synchronize(), comm.allocWindow(f32, 4)]);
    await comm.abort();
    expect(await waiting).toMatchObject([{ reason: { message: 'cancelled' } }, { reason: { code: 'NCCLTS_ABORTED' } }]);
    expect(comm.isOpen).toBe(false);
    expect(backend.worlds[0]?.live).toMatchObject({ buffers: 0, streams: 1 });
    expect((await rejection(comm.memAlloc(64))).message).toBe('memAlloc: rank 0 has aborted its communicator.');
    await comm.abort();
    await comm.close();
    // The other rank's call was also this one's, which it had made. The next call waits for a rank
    // that is gone.
    expect((await rejection(other.allocWindow(f32, 4))).code).toBe('NCCLTS_ABORTED');
    const lost = await rejection(other.allocWindow(f32, 4));
    expect([lost.code, lost.message]).toEqual([
      'NCCL_REMOTE_ERROR',
      'allocWindow (collective call 2) cannot complete: rank 0 has aborted its communicator.',
    ]);
    expect((await other.memAlloc(64)).isOpen).toBe(true);
  });

  it('fails without a change if the backend cannot end a launch alone', async () => {
    const backend = memoryBackend({ ranks: 1, held: true });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    await comm.launch(empty, shape, {});
    const error = await rejection(comm.abort());
    expect(error.code).toBe('NCCLTS_NOT_SUPPORTED');
    expect(comm.isOpen).toBe(true);
    backend.worlds[0]?.finish(0);
    await comm.synchronize();
    await comm.abort();
    expect(comm.isOpen).toBe(false);
  });
});

describe('finalize', () => {
  it('waits for the launches of all ranks, then refuses new ones', async () => {
    const backend = memoryBackend({ ranks: 2, held: true });
    await using world = await World.open({ backend });
    const [comm, other] = [world.comm(0), world.comm(1)];
    const [win] = await Promise.all([comm.allocWindow(f32, 1), other.allocWindow(f32, 1)]);
    await other.launch(empty, shape, {});
    let done = 0;
    const finalized = [comm, other].map(async (one) => one.finalize().then(() => done++));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toBe(0);
    backend.worlds[0]?.finish(1);
    await Promise.all(finalized);
    expect(await win.read()).toEqual(new Float32Array(1));
    const calls = [comm.launch(empty, shape, {}), comm.allocWindow(f32, 1), comm.split(0), comm.finalize()];
    expect(await messages(calls)).toEqual(
      ['launch of empty', 'allocWindow', 'split', 'finalize'].map(
        (what) => `${what}: the communicator of rank 0 is finalized; only close() may follow.`,
      ),
    );
  });
});

describe('getAsyncError', () => {
  it('returns the error of a launch before any wait, and does not consume it', async () => {
    const backend = memoryBackend({ ranks: 1, held: true });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    await comm.launch(empty, shape, {});
    expect(comm.getAsyncError()).toBeNull();
    backend.worlds[0]?.finish(0, { error: new Error('broken') });
    await new Promise((resolve) => setImmediate(resolve));
    expect(comm.getAsyncError()).toMatchObject({ code: 'NCCL_INTERNAL_ERROR', message: 'Error: broken' });
    await expect(comm.synchronize()).rejects.toThrow('broken');
    await comm.synchronize();
    expect(comm.getAsyncError()).not.toBeNull();

    // The same if another caller is already waiting.
    await comm.launch(empty, shape, {});
    comm.getAsyncError();
    const waiting = Promise.allSettled([comm.synchronize()]);
    backend.worlds[0]?.finish(0, { error: new Error('again') });
    expect(await waiting).toMatchObject([{ status: 'rejected', reason: { message: 'again' } }]);
    await comm.synchronize();
    expect(comm.getAsyncError()?.message).toBe('Error: broken');
  });
});
