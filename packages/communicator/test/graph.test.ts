import { kernel, u32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { World } from '@nccl-ts/communicator';
import { memoryBackend } from './memory-backend/memory-backend.ts';
import { rejection } from './rejection.ts';

const shape = { grid: 1, block: 1 };
const [a, b] = ['a', 'b'].map((name) => kernel({ name, params: { value: u32 } }, () => {}));
if (a === undefined || b === undefined) throw new Error('two kernels');

function namesOf(backend: ReturnType<typeof memoryBackend>): readonly string[] {
  return (backend.worlds[0]?.launches ?? []).map(({ name }) => name);
}

describe('a graph of a backend without graphs', () => {
  it('repeats its launches each time it is launched', async () => {
    const backend = memoryBackend({ ranks: 1 });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    await comm.launch(b, shape, { value: 0 });
    const graph = await comm.defaultStream.capture(async () => {
      await comm.launch(a, shape, { value: 1 });
      await comm.launch(b, shape, { value: 2 });
    });
    expect(graph.launches).toBe(2);
    expect(namesOf(backend)).toEqual(['b']);
    await graph.launch();
    await comm.launch(a, shape, { value: 3 });
    await graph.launch();
    expect(namesOf(backend)).toEqual(['b', 'a', 'b', 'a', 'a', 'b']);
    expect(await comm.synchronize()).toEqual({ launches: 6, printed: [] });
  });

  it('keeps the order of launches that still compile', async () => {
    const backend = memoryBackend({ ranks: 2 });
    await using world = await World.open({ backend });
    const graph = await world.capture(async (comm) => comm.launch(a, shape, { value: 1 }));
    const later = ['c', 'd', 'e'].map((name) => kernel({ name, params: { value: u32 } }, () => {}));
    const [c = a, d = a, e = a] = later;
    const launched = [
      world.comm(0).launch(c, shape, { value: 0 }),
      graph.launch(),
      world.comm(1).launch(d, shape, { value: 0 }),
      world.comm(0).launch(e, shape, { value: 0 }),
    ];
    await Promise.all(launched);
    const names = namesOf(backend);
    expect(names.toSorted()).toEqual(['a', 'a', 'c', 'd', 'e']);
    expect(names.indexOf('c')).toBeLessThan(names.indexOf('a'));
    expect(names.lastIndexOf('a')).toBeLessThan(names.indexOf('d'));
    expect(names.lastIndexOf('a')).toBeLessThan(names.indexOf('e'));
    expect(await world.comm(1).synchronize()).toMatchObject({ launches: 2 });
  });

  it('is recorded by one stream at a time, which cannot be used otherwise', async () => {
    const backend = memoryBackend({ ranks: 1 });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const stream = await comm.createStream();
    await stream.capture(async () => {
      expect(await rejection(stream.synchronize())).toMatchObject({ code: 'NCCL_INVALID_USAGE' });
      expect(await rejection(stream.capture(() => undefined))).toMatchObject({ code: 'NCCL_INVALID_USAGE' });
      await comm.launch(a, shape, { value: 1 });
    });
    expect(namesOf(backend)).toEqual(['a']);
    expect(await stream.synchronize()).toEqual({ launches: 0, printed: [] });
  });

  it('is not created if the recording fails, and the stream is unchanged', async () => {
    const backend = memoryBackend({ ranks: 2 });
    await using world = await World.open({ backend });
    const failed = world.capture(async (comm) => {
      await comm.launch(a, shape, { value: 1 });
      if (comm.rank === 1) throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await world.comm(0).launch(b, shape, { value: 1 });
    expect(namesOf(backend)).toEqual(['b']);
  });

  it('is closed with its world at the latest', async () => {
    const backend = memoryBackend({ ranks: 1 });
    const world = await World.open({ backend });
    const graph = await world.capture(async (comm) => comm.launch(a, shape, { value: 1 }));
    await graph.close();
    await graph.close();
    expect(graph.isOpen).toBe(false);
    expect(await rejection(graph.launch())).toMatchObject({ code: 'NCCLTS_CLOSED' });
    const other = await world.capture(async (comm) => comm.launch(a, shape, { value: 1 }));
    await world.close();
    expect(other.isOpen).toBe(false);
  });
});

describe('launch options', () => {
  it('reach the backend, or are refused', async () => {
    const backend = memoryBackend({ ranks: 1 });
    await using world = await World.open({ backend });
    const comm = world.comm(0);
    const attributes = { memSyncDomain: 'remote', cooperative: true } as const;
    await comm.launch(a, { ...shape, attributes, abortable: true }, { value: 1 });
    expect(backend.worlds[0]?.launches[0]?.config.attributes).toEqual(attributes);
    const wrong = comm.launch(a, { ...shape, attributes: { memSyncDomain: 'far' as 'remote' } }, { value: 1 });
    expect((await rejection(wrong)).message).toMatchInlineSnapshot(
      `"launch of a: attribute memSyncDomain must be default or remote; given "far"."`,
    );
    const unknown = comm.launch(a, { ...shape, attributes: { cluster: 2 } as object }, { value: 1 });
    expect((await rejection(unknown)).message).toMatchInlineSnapshot(
      `"launch of a: there is no launch attribute cluster; there are memSyncDomain, cooperative, programmaticStreamSerialization."`,
    );
  });
});
