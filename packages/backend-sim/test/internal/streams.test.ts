import { isNcclError } from '@nccl-ts/core';
import { describe, expect, it } from 'vitest';

import { StubWorld, windowArg, windowValue, wordAt, type StubKernel } from './stub.ts';

/** A kernel that adds its name to a list, and yields in between. */
function noting(name: string, list: string[], turns = 3): StubKernel {
  return {
    name,
    *body() {
      list.push(`${name} begins`);
      for (let i = 0; i < turns; i++) yield 'yield';
      list.push(`${name} ends`);
    },
  };
}

describe('streams', () => {
  it('run their launches in order and report their number', async () => {
    const stub = new StubWorld({ ranks: 1 });
    const stream = await stub.world.createStream(0);
    const list: string[] = [];
    await stub.launch(noting('a', list), stream);
    await stub.launch(noting('b', list, 0), stream);
    await stub.launch(noting('c', list), stream);
    expect(await stub.world.synchronize(stream)).toEqual({ launches: 3, printed: [] });
    expect(list).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(await stub.world.synchronize(stream)).toEqual({ launches: 0, printed: [] });
  });

  it('run concurrently with others of their rank', async () => {
    const stub = new StubWorld({ ranks: 1 });
    const one = await stub.world.createStream(0);
    const two = await stub.world.createStream(0);
    let flag = false;
    await stub.launch(
      {
        name: 'waits',
        *body() {
          yield { until: () => flag };
        },
      },
      one,
    );
    await stub.launch(
      {
        name: 'sets',
        *body() {
          yield 'yield';
          flag = true;
        },
      },
      two,
    );
    await stub.world.synchronize(one);
    expect((await stub.world.synchronize(two)).launches).toBe(1);
  });

  it('resolve a synchronize without waiting for later launches', async () => {
    const stub = new StubWorld({ ranks: 1 });
    const stream = await stub.world.createStream(0);
    let go = false;
    const list: string[] = [];
    await stub.launch(noting('first', list), stream);
    const first = stub.world.synchronize(stream);
    await stub.launch(
      {
        name: 'held',
        *body() {
          yield { until: () => go };
        },
      },
      stream,
    );
    expect((await first).launches).toBe(1);
    go = true;
    const buffer = await stub.world.alloc(0, 4);
    await stub.world.write(buffer, new Uint8Array(4), 0);
    expect((await stub.world.synchronize(stream)).launches).toBe(1);
  });

  it("let kernels see the host's writes while they wait", async () => {
    const stub = new StubWorld({ ranks: 2 });
    const [stream] = await stub.streams();
    const { window, buffers } = await stub.window(64);
    const [buffer] = buffers;
    if (stream === undefined || buffer === undefined) throw new Error('no stream');
    await stub.launch(
      {
        name: 'polls',
        *body({ host, args }) {
          const at = wordAt(windowValue(args), 0, 3);
          yield { until: () => host.heap.u32[at] === 7 };
          host.heap.u32[at] = 8;
        },
      },
      stream,
      { args: [windowArg(window)] },
    );
    const ended = stub.world.synchronize(stream);
    await new Promise((resolve) => setImmediate(resolve));
    await stub.world.write(buffer, Uint32Array.of(7), 12);
    await ended;
    const words = new Uint32Array(2);
    await stub.world.read(buffer, words, 8);
    expect([...words]).toEqual([0, 8]);
  });

  it('collect what kernels print', async () => {
    const stub = new StubWorld({ ranks: 2 });
    const streams = await stub.streams();
    const kernel: StubKernel = {
      name: 'prints',
      *body({ host, cta }) {
        host.print(cta, 5, ['x =', 1.5, 7n, true]);
        yield 'yield';
      },
    };
    const [, second] = streams;
    if (second === undefined) throw new Error('no stream');
    await stub.launch(kernel, second, { grid: 2 });
    const { printed } = await stub.world.synchronize(second);
    expect(printed.toSorted()).toEqual([
      '[rank 1 cta 0 thread 5] x = 1.5 7 true',
      '[rank 1 cta 1 thread 5] x = 1.5 7 true',
    ]);
  });

  it('drop launches after a failed one until the failure is reported', async () => {
    const stub = new StubWorld({ ranks: 1 });
    const stream = await stub.world.createStream(0);
    const list: string[] = [];
    await stub.launch(
      {
        name: 'breaks',
        *body({ host, cta }) {
          yield 'yield';
          host.fault(cta, { kind: 'assert', site: 0, thread: 3, message: 'x < y' });
        },
      },
      stream,
      { grid: 8 },
    );
    await stub.launch(noting('behind', list), stream);
    await expect(stub.world.synchronize(stream)).rejects.toSatisfy((e) => isNcclError(e, 'NCCLTS_FAULT'));
    expect(list).toEqual([]);
    await stub.launch(noting('after', list), stream);
    expect((await stub.world.synchronize(stream)).launches).toBe(1);
    expect(list).toEqual(['after begins', 'after ends']);
  });
});

describe('compile', () => {
  it('generates code once for each block size', async () => {
    const stub = new StubWorld({ ranks: 1 });
    const stream = await stub.world.createStream(0);
    const executable = await stub.compile(noting('k', []));
    expect(executable.artifacts).toEqual([]);
    for (const x of [32, 64, 32]) {
      stub.world.launch(executable, { grid: { x: 1, y: 1, z: 1 }, block: { x, y: 1, z: 1 }, stream }, []);
    }
    await stub.world.synchronize(stream);
    expect(stub.emitted).toEqual(['k 32x1x1 {}', 'k 64x1x1 {}']);
    expect(executable.artifacts).toEqual([
      { language: 'js', text: '// k' },
      { language: 'js', text: '// k' },
    ]);
  });
});
