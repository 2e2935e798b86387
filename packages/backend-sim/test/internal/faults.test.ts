import { isNcclError, NcclError } from '@nccl-ts/core';
import { FaultError, type Fault } from '@nccl-ts/findings';
import { describe, expect, it } from 'vitest';

import { StubWorld, windowArg, windowValue, type StubKernel } from './stub.ts';

const text = `({ f32 }, { win }) => {
  const p = pointer(win, f32, 0, 1);
  p[1024] = 1;
}`;
const start = text.indexOf('p[1024]');
const sites = [{ span: { source: 0, start, end: start + 'p[1024] = 1'.length }, what: 'store' }];

/** Returns the error of a kernel on rank 0 with the fault that `make` returns. */
async function faultOf(stub: StubWorld, make: (base: number, region: number) => Fault): Promise<NcclError> {
  const [stream] = await stub.streams();
  const { window } = await stub.window(4096);
  await stub.window(100);
  if (stream === undefined) throw new Error('no stream');
  const kernel: StubKernel = {
    name: 'strays',
    text,
    sites,
    *body({ host, args, cta }) {
      yield 'yield';
      const value = windowValue(args);
      if (cta.blockIdx.x === 1) host.fault(cta, make(value.bases[1] ?? 0, value.firstRegion + 1));
    },
  };
  await stub.launch(kernel, stream, { grid: 2, args: [windowArg(window)] });
  try {
    await stub.world.synchronize(stream);
  } catch (error) {
    if (isNcclError(error)) return error;
  }
  throw new Error('no NcclError was thrown');
}

describe('a fault', () => {
  it('out of bounds names the memory that the access would reach', async () => {
    const error = await faultOf(new StubWorld({ ranks: 2 }), (base, region) => ({
      kind: 'outOfBounds',
      site: 0,
      thread: 17,
      space: 'global',
      address: base + 4096 + 2 ** 20,
      bytes: 4,
      region,
    }));
    expect(error.code).toBe('NCCLTS_OUT_OF_BOUNDS');
    expect(error.message).toMatchInlineSnapshot(`
      "store of 4 bytes out of bounds: byte 1052672 of window 0 (4096 bytes), rank 1's copy
       --> kernel strays (captured text):3:3
        |
      3 |   p[1024] = 1;
        |   ^^^^^^^^^^^ kernel strays, rank 0, CTA 1, thread 17
        |
        = note: the access would reach byte 0 of window 1, rank 1's copy
        = help: the window has 1024 elements of 4 bytes, and this is number 263168 from 0: stop before it, or make the window larger"
    `);
    expect(error).toBeInstanceOf(FaultError);
    expect(error.details).toMatchObject({
      kind: 'outOfBounds',
      rank: 0,
      thread: 17,
      blockIdx: { x: 1, y: 0, z: 0 },
      access: { offset: 4096 + 2 ** 20, bytes: 4, window: { name: 'window 0', bytes: 4096, rank: 1 } },
    });
  });

  it('out of bounds may be before the window, or where there is no memory', async () => {
    const error = await faultOf(new StubWorld({ ranks: 2 }), (base, region) => ({
      kind: 'outOfBounds',
      site: 0,
      thread: 0,
      space: 'global',
      address: base - 8,
      bytes: 8,
      region,
    }));
    expect(error.message).toMatchInlineSnapshot(`
      "store of 8 bytes out of bounds: byte -8 of window 0 (4096 bytes), rank 1's copy, element -1
       --> kernel strays (captured text):3:3
        |
      3 |   p[1024] = 1;
        |   ^^^^^^^^^^^ kernel strays, rank 0, CTA 1, thread 0
        |
        = help: the window has 512 elements of 8 bytes, and the index is below 0: begin at 1, or test it before the access"
    `);
  });

  it('through the null pointer is reported as such', async () => {
    const error = await faultOf(new StubWorld({ ranks: 2 }), () => ({
      kind: 'outOfBounds',
      site: 0,
      thread: 0,
      space: 'global',
      address: 12,
      bytes: 4,
      region: 0,
    }));
    expect(error.message).toContain('byte 12 from a null pointer');
  });

  it('has the printed lines of its stream, which no later synchronize reports', async () => {
    const stub = new StubWorld({ ranks: 1 });
    const [stream, other] = [await stub.world.createStream(0), await stub.world.createStream(0)];
    const prints = (word: string, faults: boolean): StubKernel => ({
      name: word,
      *body({ host, cta }) {
        host.print(cta, 0, [word]);
        yield 'yield';
        if (faults) host.fault(cta, { kind: 'assert', site: 0, thread: 0, message: 'x < y' });
      },
    });
    await stub.launch(prints('reported', false), stream);
    await stub.world.synchronize(stream);
    await stub.launch(prints('before', false), stream);
    await stub.launch(prints('at', true), stream);
    await stub.launch(prints('behind', false), stream);
    await stub.launch(prints('beside', false), other);
    const error: unknown = await stub.world.synchronize(stream).catch((thrown: unknown) => thrown);
    if (!(error instanceof FaultError)) throw new Error('no fault');
    expect(error.printed).toEqual(['[rank 0 cta 0 thread 0] before', '[rank 0 cta 0 thread 0] at']);
    expect((await stub.world.synchronize(other)).printed).toEqual(['[rank 0 cta 0 thread 0] beside']);
    await stub.launch(prints('after', false), stream);
    expect((await stub.world.synchronize(stream)).printed).toEqual(['[rank 0 cta 0 thread 0] after']);
  });
});

describe('a launch', () => {
  it('that only yields runs out of fuel', async () => {
    const stub = new StubWorld({ ranks: 1, fuel: 100 * 1024 });
    const stream = await stub.world.createStream(0);
    let turns = 0;
    await stub.launch(
      {
        name: 'spins',
        *body({ host, cta }) {
          host.print(cta, 0, ['spinning']);
          for (;;) {
            turns++;
            yield 'yield';
          }
        },
      },
      stream,
    );
    const error: unknown = await stub.world.synchronize(stream).catch((thrown: unknown) => thrown);
    expect(isNcclError(error, 'NCCLTS_INCOMPLETE')).toBe(true);
    expect(error).toMatchObject({ printed: ['[rank 0 cta 0 thread 0] spinning'] });
    expect(turns).toBe(101);
  });

  it('whose code breaks ends with an internal error', async () => {
    const stub = new StubWorld({ ranks: 1 });
    const stream = await stub.world.createStream(0);
    await stub.launch(
      {
        name: 'broken',
        *body() {
          yield 'yield';
          throw new RangeError('oops');
        },
      },
      stream,
    );
    await expect(stub.world.synchronize(stream)).rejects.toSatisfy((e) => isNcclError(e, 'NCCL_INTERNAL_ERROR'));
  });

  it('that cannot begin fails, and frees the device for others', async () => {
    const stub = new StubWorld({ ranks: 1, residentCtas: 1 });
    const stream = await stub.world.createStream(0);
    const kernel: StubKernel = {
      name: 'none',
      body: () => {
        throw new NcclError('NCCLTS_NOT_SUPPORTED', 'no code here');
      },
    };
    await stub.launch(kernel, stream, { grid: 3 });
    await expect(stub.world.synchronize(stream)).rejects.toSatisfy((e) => isNcclError(e, 'NCCLTS_NOT_SUPPORTED'));
    let now = 0;
    let most = 0;
    const counts: StubKernel = {
      name: 'counts',
      *body() {
        most = Math.max(most, ++now);
        yield 'yield';
        now--;
      },
    };
    await stub.launch(counts, stream, { grid: 3 });
    await stub.world.synchronize(stream);
    expect(most).toBe(1);
  });

  it('ends on its signal, with the launches after it', async () => {
    const stub = new StubWorld({ ranks: 1 });
    const stream = await stub.world.createStream(0);
    const controller = new AbortController();
    let ran = false;
    const forever: StubKernel = {
      name: 'forever',
      *body() {
        for (;;) yield 'yield';
      },
    };
    const behind: StubKernel = {
      name: 'behind',
      *body() {
        ran = true;
        yield 'yield';
      },
    };
    await stub.launch(forever, stream, { signal: controller.signal });
    await stub.launch(behind, stream);
    const ended = stub.world.synchronize(stream);
    setTimeout(() => controller.abort(new Error('enough')), 1);
    const reason: unknown = await ended.catch((error: unknown) => error);
    expect(isNcclError(reason, 'NCCLTS_ABORTED') && reason.cause).toEqual(new Error('enough'));
    expect(ran).toBe(false);
    await stub.launch(behind, stream, { signal: AbortSignal.abort() });
    await expect(stub.world.synchronize(stream)).rejects.toSatisfy((e) => isNcclError(e, 'NCCLTS_ABORTED'));
    expect(ran).toBe(false);
    await stub.launch(behind, stream);
    await stub.world.synchronize(stream);
    expect(ran).toBe(true);
  });

  it('that is cancelled while queued does not disturb the previous one', async () => {
    const stub = new StubWorld({ ranks: 1 });
    const stream = await stub.world.createStream(0);
    const controller = new AbortController();
    let turns = 0;
    const kernel: StubKernel = {
      name: 'works',
      *body() {
        for (let i = 0; i < 10; i++) {
          turns++;
          yield 'yield';
        }
      },
    };
    await stub.launch(kernel, stream);
    await stub.launch(kernel, stream, { signal: controller.signal });
    controller.abort();
    await expect(stub.world.synchronize(stream)).rejects.toSatisfy((e) => isNcclError(e, 'NCCLTS_ABORTED'));
    expect(turns).toBe(10);
  });
});

describe('a world', () => {
  const stuck: StubKernel = {
    name: 'stuck',
    *body() {
      yield { until: () => false };
    },
  };

  it('ends all work when it is aborted', async () => {
    const stub = new StubWorld({ ranks: 2 });
    const streams = await stub.streams();
    for (const stream of streams) await stub.launch(stuck, stream, { grid: 4 });
    const ended = streams.map((stream) => stub.world.synchronize(stream).catch((error: unknown) => error));
    const reason = new Error('other rank failed');
    stub.world.abort(reason);
    for (const error of await Promise.all(ended)) {
      expect(isNcclError(error, 'NCCLTS_ABORTED') && error.cause).toBe(reason);
    }
    for (const stream of streams) expect((await stub.world.synchronize(stream)).launches).toBe(0);
  });

  it('can be closed twice, and ends pending work', async () => {
    const stub = new StubWorld({ ranks: 1 });
    const stream = await stub.world.createStream(0);
    const buffer = await stub.world.alloc(0, 10);
    await stub.launch(stuck, stream);
    const ended = stub.world.synchronize(stream).catch((error: unknown) => error);
    await stub.world[Symbol.asyncDispose]();
    await stub.world[Symbol.asyncDispose]();
    expect(isNcclError(await ended, 'NCCLTS_CLOSED')).toBe(true);
    await expect(stub.world.alloc(0, 1)).rejects.toSatisfy((e) => isNcclError(e, 'NCCLTS_CLOSED'));
    await stub.world.free(buffer);
    await stub.world.destroyStream(stream);
    stub.world.setHostState(0, 'done');
    stub.world.abort(new Error('late'));
  });

  it('refuses objects of another world', async () => {
    const one = new StubWorld({ ranks: 1 });
    const two = new StubWorld({ ranks: 1 });
    const stream = await two.world.createStream(0);
    await expect(one.launch(stuck, stream)).rejects.toSatisfy((e) => isNcclError(e, 'NCCL_INTERNAL_ERROR'));
  });
});
