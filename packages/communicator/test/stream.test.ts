import { f32, kernel } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { World } from '@nccl-ts/communicator';
import { memoryBackend } from './memory-backend/memory-backend.ts';
import { empty } from './memory-backend/kernels.ts';
import { rejection } from './rejection.ts';

const shape = { grid: 1, block: 1 };

describe('launches of a stream', () => {
  it('are made in the order of the calls, however long each compiles', async () => {
    const backend = memoryBackend({ ranks: 1 });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const kernels = ['a', 'b', 'c'].map((name) => kernel({ name }, () => {}));
    const [a = empty, b = empty, c = empty] = kernels;
    const wrong = comm.launch(empty, { grid: 0, block: 1 }, {});
    await Promise.all([
      comm.launch(a, shape, {}),
      comm.launch(b, shape, {}),
      comm.launch(a, shape, {}),
      comm.launch(c, shape, {}),
      rejection(wrong),
    ]);
    expect(backend.worlds[0]?.launches.map((launch) => launch.name)).toEqual(['a', 'b', 'a', 'c']);
  });

  it('are all made before a later synchronization ends', async () => {
    const backend = memoryBackend({ ranks: 1 });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const launched = [comm.launch(empty, shape, {}), comm.launch(empty, shape, {})];
    expect(await comm.synchronize()).toEqual({ launches: 2, printed: [] });
    await Promise.all(launched);
    expect(await comm.synchronize()).toEqual({ launches: 0, printed: [] });
  });

  it('may include some that do not compile', async () => {
    const backend = memoryBackend({
      ranks: 1,
      fail: (method, call) => (method === 'compile' && call === 1 ? new Error('no') : undefined),
    });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const refused = comm.launch(empty, shape, {});
    const made = comm.launch(
      kernel({ name: 'after' }, () => {}),
      shape,
      {},
    );
    await expect(refused).rejects.toThrow('no');
    await made;
    expect(await comm.synchronize()).toMatchObject({ launches: 1 });
  });
});

describe('an error of a launch', () => {
  it('is reported by the next synchronization, once', async () => {
    const backend = memoryBackend({ ranks: 1, held: true });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const error = new Error('fault');
    await comm.launch(empty, shape, {});
    backend.worlds[0]?.finish(0, { error });
    await expect(comm.synchronize()).rejects.toBe(error);
    expect(await comm.synchronize()).toMatchObject({ printed: [] });
  });

  it('is reported by a read', async () => {
    const backend = memoryBackend({ ranks: 1, held: true });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const window = await comm.allocWindow(f32, 1);
    await comm.launch(empty, shape, {});
    const error = new Error('fault');
    backend.worlds[0]?.finish(0, { error });
    await expect(window.read()).rejects.toBe(error);
    expect(await window.read()).toEqual(new Float32Array(1));
  });

  it('is reported at the end of run', async () => {
    const backend = memoryBackend({ ranks: 2, held: true });
    await using world = await World.open({ backend });
    const error = new Error('fault');
    const run = world.run(async (comm) => {
      const stream = await comm.createStream();
      await comm.launch(empty, { ...shape, stream }, {});
      if (comm.rank === 1) backend.worlds[0]?.finish(1, { error });
      else backend.worlds[0]?.finish(0);
    });
    await expect(run).rejects.toBe(error);
  });

  it('is kept when a window is deregistered', async () => {
    const backend = memoryBackend({ ranks: 1, held: true });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const window = await comm.allocWindow(f32, 1);
    await comm.launch(empty, shape, {});
    const error = new Error('fault');
    backend.worlds[0]?.finish(0, { error });
    await window.deregister();
    await expect(comm.synchronize()).rejects.toBe(error);
  });

  it('is reported when a stream closes', async () => {
    const backend = memoryBackend({ ranks: 1, held: true });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const stream = await comm.createStream();
    await comm.launch(empty, { ...shape, stream }, {});
    const error = new Error('fault');
    backend.worlds[0]?.finish(0, { error });
    await expect(stream.close()).rejects.toBe(error);
    expect(backend.worlds[0]?.live.streams).toBe(1);
    await stream.close();
    expect((await rejection(stream.synchronize())).message).toMatchInlineSnapshot(
      `"synchronize: the stream is closed."`,
    );
    expect((await rejection(comm.synchronize(stream))).code).toBe('NCCLTS_CLOSED');
  });
});

describe('a report', () => {
  it('includes launches that a read waited for', async () => {
    const backend = memoryBackend({ ranks: 1, held: true });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const window = await comm.allocWindow(f32, 1);
    await comm.launch(empty, shape, {});
    backend.worlds[0]?.finish(0, { printed: ['one'] });
    await window.read();
    await comm.launch(empty, shape, {});
    backend.worlds[0]?.finish(0, { printed: ['two'] });
    expect(await comm.synchronize()).toEqual({ launches: 2, printed: ['one', 'two'] });
    expect(await comm.synchronize()).toEqual({ launches: 0, printed: [] });
  });

  it('covers one stream', async () => {
    const backend = memoryBackend({ ranks: 1 });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const stream = await comm.createStream();
    await comm.launch(empty, { ...shape, stream }, {});
    expect(await comm.synchronize()).toMatchObject({ launches: 0 });
    expect(await comm.synchronize(stream)).toMatchObject({ launches: 1 });
  });
});

describe('a synchronization with a signal', () => {
  it('ends the wait but not the work, and loses nothing', async () => {
    const backend = memoryBackend({ ranks: 1, held: true });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const controller = new AbortController();
    await comm.launch(empty, shape, {});
    const waiting = rejection(comm.synchronize(undefined, { signal: controller.signal }));
    controller.abort('enough');
    const error = await waiting;
    expect(error).toMatchObject({ code: 'NCCLTS_ABORTED', cause: 'enough' });
    expect(error.message).toMatchInlineSnapshot(`"synchronize: its signal was aborted."`);
    backend.worlds[0]?.finish(0, { printed: ['late'] });
    expect(await comm.synchronize()).toEqual({ launches: 1, printed: ['late'] });
  });

  it('keeps a later error for the next synchronization', async () => {
    const backend = memoryBackend({ ranks: 1, held: true });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    await comm.launch(empty, shape, {});
    await rejection(comm.synchronize(undefined, { signal: AbortSignal.abort() }));
    const fault = new Error('fault');
    backend.worlds[0]?.finish(0, { error: fault });
    await new Promise((resolve) => setImmediate(resolve));
    await expect(comm.synchronize()).rejects.toBe(fault);
  });
});
