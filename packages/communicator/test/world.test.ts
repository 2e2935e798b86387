import { isNcclError, type NcclError } from '@nccl-ts/core';
import { f32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { Communicator, World } from '@nccl-ts/communicator';
import { memoryBackend } from './memory-backend/memory-backend.ts';
import { rejection } from './rejection.ts';

describe('World.open', () => {
  it('gives each rank a communicator of its own', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 4, lsaSize: 2 }) });
    expect(world.nRanks).toBe(4);
    expect(world.localRanks).toEqual([0, 1, 2, 3]);
    expect([0, 1, 2, 3].map((rank) => world.comm(rank).lsaRank)).toEqual([0, 1, 0, 1]);
    expect(world.comm(3).teamRail()).toEqual({ nRanks: 2, rank: 1, stride: 2 });
    expect(world.comm(3).teamLsa()).toEqual({ nRanks: 2, rank: 1, stride: 1 });
    expect(world.comm(3).teamWorld()).toEqual({ nRanks: 4, rank: 3, stride: 1 });
    expect(world.comm(2).properties).toMatchObject({
      rank: 2,
      nRanks: 4,
      nLsaTeams: 2,
      deviceApiSupport: true,
      ginType: 'none',
      ginSupport: [],
      ginConnectionType: 'none',
      ginMinStride: 0,
    });
  });

  it('reports if the GPU is emulated in software', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 1 }) });
    expect(world.comm(0).software).toBe(false);
    await using stand = await World.open({ backend: memoryBackend({ ranks: 1, software: true }) });
    expect(stand.comm(0).software).toBe(true);
  });

  it('refuses what is not a backend', async () => {
    const error = await rejection(World.open({ backend: {} as never }));
    expect(error.code).toBe('NCCL_INVALID_ARGUMENT');
    expect(error.message).toMatchInlineSnapshot(
      `"World.open: backend must be a backend, such as sim({ ranks: 4 }); given an object with no properties."`,
    );
  });

  it('frees the backend if a stream cannot be made', async () => {
    const backend = memoryBackend({
      ranks: 2,
      fail: (method, call) => (method === 'createStream' && call === 2 ? new Error('no streams') : undefined),
    });
    await expect(World.open({ backend })).rejects.toThrow('no streams');
    expect(backend.worlds[0]?.isDisposed).toBe(true);
  });

  it('does not open with an aborted signal', async () => {
    const reason = new Error('changed my mind');
    const error = await rejection(
      World.open({ backend: memoryBackend({ ranks: 1 }), signal: AbortSignal.abort(reason) }),
    );
    expect(error.code).toBe('NCCLTS_ABORTED');
    expect(error.cause).toBe(reason);
  });

  it('accepts only ranks of this process', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 4, localRanks: [2, 3] }) });
    expect(world.comm(2).rank).toBe(2);
    expect(() => world.comm(0)).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: comm: rank must be of this process, which has ranks 2 and 3; given 0.]`,
    );
    expect(() => world.comm(1.5)).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: comm: rank must be of this process, which has ranks 2 and 3; given 1.5.]`,
    );
  });
});

describe('Communicator.init', () => {
  it('fails if the backend keeps all ranks in one process', async () => {
    const backend = memoryBackend({ ranks: 2 });
    const id = await rejection(Communicator.getUniqueId(backend));
    const init = await rejection(Communicator.init({ backend, rank: 0, nRanks: 2, uniqueId: new Uint8Array(128) }));
    expect([id.code, init.code]).toEqual(['NCCLTS_NOT_SUPPORTED', 'NCCLTS_NOT_SUPPORTED']);
    expect(init.message).toMatchInlineSnapshot(
      `"Communicator.init: backend memory keeps all ranks of a world in one process; open it with World.open({ backend }) and run each rank's part in world.run(callback)."`,
    );
    const range = await rejection(Communicator.init({ backend, rank: 2, nRanks: 2, uniqueId: new Uint8Array(128) }));
    expect(range.message).toMatchInlineSnapshot(`"Communicator.init: rank must be an integer from 0 to 1; given 2."`);
  });
});

describe('World.run', () => {
  it('calls back once for each rank, concurrently, and keeps the order of the ranks', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 3 }) });
    const begun: number[] = [];
    const results = await world.run(async (comm) => {
      begun.push(comm.rank);
      await comm.allocWindow(f32, 4);
      expect(begun).toHaveLength(3);
      return comm.rank === 1 ? undefined : comm.rank * 10;
    });
    expect(results).toEqual([0, undefined, 20]);
  });

  it('keeps results that are arrays unchanged', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 2 }) });
    expect(await world.run((comm) => [[comm.rank]])).toEqual([[[0]], [[1]]]);
  });

  it('rejects with the same error as a callback', async () => {
    const backend = memoryBackend({ ranks: 3 });
    await using world = await World.open({ backend });
    const cause = new Error('rank 1 gives up');
    const seen: unknown[] = [];
    const run = world.run(async (comm) => {
      if (comm.rank === 1) throw cause;
      await comm.allocWindow(f32, 4).catch((error: unknown) => {
        seen.push(error);
        throw error;
      });
    });
    await expect(run).rejects.toBe(cause);
    expect(seen).toHaveLength(2);
    for (const error of seen) {
      expect(isNcclError(error, 'NCCLTS_ABORTED')).toBe(true);
      expect(error).toHaveProperty('cause', cause);
    }
    expect((seen[0] as NcclError).message).toMatchInlineSnapshot(
      `"allocWindow (collective call 1) was aborted: rank 1 gives up"`,
    );
    expect(backend.worlds[0]?.abortedWith).toBe(cause);
  });

  it('rejects only once all callbacks have settled', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 2 }) });
    let settled = false;
    const run = world.run(async (comm) => {
      if (comm.rank === 0) throw new Error('early');
      await new Promise((resolve) => setImmediate(resolve));
      settled = true;
    });
    await expect(run).rejects.toThrow('early');
    expect(settled).toBe(true);
  });

  it('passes on thrown values that are not errors', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 2 }) });
    await expect(
      world.run(() => {
        throw 'a string'; // eslint-disable-line
      }),
    ).rejects.toBe('a string');
  });

  it('leaves an aborted world that can only be closed', async () => {
    const world = await World.open({ backend: memoryBackend({ ranks: 2 }) });
    await world.run(() => Promise.reject(new Error('out of luck'))).catch(() => undefined);
    const run = await rejection(world.run(() => 1));
    expect(run.code).toBe('NCCLTS_ABORTED');
    expect(run.message).toMatchInlineSnapshot(
      `"run: the world was aborted, so only close() is allowed. Reason of the abort: out of luck"`,
    );
    const alloc = await rejection(world.comm(0).allocWindow(f32, 1));
    expect(alloc.code).toBe('NCCLTS_ABORTED');
    await world.close();
    expect((await rejection(world.run(() => 1))).message).toMatchInlineSnapshot(`"run: the world is closed."`);
  });

  it('aborts with its signal', async () => {
    const backend = memoryBackend({ ranks: 2 });
    await using world = await World.open({ backend });
    const controller = new AbortController();
    const reason = new Error('too slow');
    const run = world.run(
      async (comm) => {
        if (comm.rank === 0) await comm.allocWindow(f32, 1);
        else {
          await new Promise((resolve) => setImmediate(resolve));
          controller.abort(reason);
        }
      },
      { signal: controller.signal },
    );
    const error = await rejection(run);
    expect(error.code).toBe('NCCLTS_ABORTED');
    expect(error.cause).toBe(reason);
    expect(backend.worlds[0]?.abortedWith).toBe(error);
  });

  it('does not begin with an aborted signal, and the world stays usable', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 1 }) });
    const error = await rejection(world.run(() => 1, { signal: AbortSignal.abort('no') }));
    expect(error.code).toBe('NCCLTS_ABORTED');
    expect(await world.run(() => 1)).toEqual([1]);
  });

  it('refuses a second run meanwhile', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 1 }) });
    const first = world.run(async () => new Promise((resolve) => setImmediate(resolve)));
    const second = await rejection(world.run(() => 1));
    expect(second.code).toBe('NCCL_INVALID_USAGE');
    expect(second.message).toMatchInlineSnapshot(
      `"run: the world is running already; one run must end before the next begins."`,
    );
    await first;
    expect(await world.run(() => 2)).toEqual([2]);
  });
});

describe('closing', () => {
  it('is idempotent and frees everything in reverse order', async () => {
    const backend = memoryBackend({ ranks: 2 });
    const world = await World.open({ backend });
    await world.run(async (comm) => {
      await comm.allocWindow(f32, 16);
      await comm.memAlloc(64);
      await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.createStream();
    });
    const device = backend.worlds[0];
    expect(device?.live).toEqual({ buffers: 4, windows: 1, devComms: 1, streams: 4, groups: 0 });
    device?.order.splice(0);
    await Promise.all([world.close(), world.close()]);
    await world.close();
    expect(device?.live).toEqual({ buffers: 0, windows: 0, devComms: 0, streams: 0, groups: 0 });
    expect(device?.isDisposed).toBe(true);
    expect(device?.order.join(' ')).toBe(
      'destroyStream free destroyStream destroyStream destroyDevComm free deregisterWindow free free destroyStream',
    );
  });

  it('fails every later operation with NCCLTS_CLOSED', async () => {
    const world = await World.open({ backend: memoryBackend({ ranks: 1 }) });
    const comm = world.comm(0);
    const window = await comm.allocWindow(f32, 1);
    const memory = await comm.memAlloc(4);
    await world.close();
    const operations: readonly (() => Promise<unknown>)[] = [
      () => world.run(() => 1),
      () => comm.allocWindow(f32, 1),
      () => comm.memAlloc(1),
      () => comm.registerWindow(memory),
      () => comm.createDevComm(),
      () => comm.createStream(),
      () => comm.synchronize(),
      () => comm.defaultStream.synchronize(),
      () => window.read(),
      () => window.write([1]),
      () => memory.read(),
      () => memory.write([1]),
    ];
    for (const operation of operations) expect((await rejection(operation())).code).toBe('NCCLTS_CLOSED');
    await window.close();
    await memory.close();
    await comm.close();
  });

  it('ends pending waits', async () => {
    const backend = memoryBackend({ ranks: 2 });
    const world = await World.open({ backend });
    const waiting = rejection(world.comm(0).allocWindow(f32, 1));
    await world.close();
    const error = await waiting;
    expect(error.code).toBe('NCCLTS_ABORTED');
    expect(error.message).toMatchInlineSnapshot(
      `"allocWindow (collective call 1) was aborted: The world was closed while something ran or waited."`,
    );
    expect(isNcclError(error.cause, 'NCCLTS_CLOSED')).toBe(true);
    expect(backend.worlds[0]?.isDisposed).toBe(true);
  });

  it('ends the run in progress with an error', async () => {
    const world = await World.open({ backend: memoryBackend({ ranks: 2 }) });
    const run = rejection(
      world.run((comm) =>
        comm.rank === 0 ? comm.allocWindow(f32, 1) : new Promise((resolve) => setImmediate(resolve)),
      ),
    );
    await world.close();
    expect((await run).code).toBe('NCCLTS_CLOSED');
  });

  it("one communicator makes its peers' waits fail", async () => {
    const backend = memoryBackend({ ranks: 2 });
    await using world = await World.open({ backend });
    const waiting = rejection(world.comm(0).allocWindow(f32, 1));
    await world.comm(1).close();
    const error = await waiting;
    expect(error.code).toBe('NCCLTS_DEADLOCK');
    expect(error.message).toMatchInlineSnapshot(
      `"allocWindow (collective call 1) cannot complete: a missing rank can never call it. Present: rank 0. Missing: rank 1 has closed its communicator."`,
    );
    expect((await rejection(world.comm(1).memAlloc(1))).message).toMatchInlineSnapshot(
      `"memAlloc: the communicator of rank 1 is closed."`,
    );
    expect(world.comm(0).isOpen).toBe(true);
    expect(backend.worlds[0]?.live.streams).toBe(1);
  });

  it('continues if a resource cannot be freed, and reports the error', async () => {
    const backend = memoryBackend({
      ranks: 1,
      fail: (method) => (method === 'destroyDevComm' ? new Error('stuck') : undefined),
    });
    const world = await World.open({ backend });
    await world.comm(0).allocWindow(f32, 1);
    await world.comm(0).createDevComm();
    await expect(world.close()).rejects.toThrow('stuck');
    expect(backend.worlds[0]).toMatchObject({ isDisposed: true, live: { buffers: 0, windows: 0, streams: 0 } });
  });
});
