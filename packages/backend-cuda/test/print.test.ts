import { World } from '@nccl-ts/communicator';
import { isNcclError } from '@nccl-ts/core';
import { bool, f32, f64, i16, i32, i64, i8, kernel, u16, u32, u64, u8, vec } from '@nccl-ts/kernel';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createFakeGpu, noFakeGpu, unlessFakeGpu, type FakeGpu } from './support/fake-gpu.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const one = { grid: 1, block: 1 };

const says = kernel({ name: 'says', params: { value: u32 } }, ({ threadIdx, print }, { value }) => {
  if (threadIdx.x === 0) print('value', value);
});

const counts = kernel({ name: 'counts', params: { n: u32 } }, ({ threadIdx, print, u32: unsigned }, { n }) => {
  for (let i = unsigned(0); i < n; i++) print('thread', threadIdx.x, 'line', i);
});

const silent = kernel({ name: 'silent', params: {} }, () => undefined);

describe.skipIf(noFakeGpu !== undefined)(`lines that kernels print${unlessFakeGpu}`, () => {
  let gpu: FakeGpu;
  beforeAll(() => {
    gpu = createFakeGpu();
    gpu.runKernels();
    gpu.configure(2, 2);
  });
  afterAll(() => gpu.dispose());

  it.for(quick)('are reported rank by rank, in the format of every backend', async () => {
    const shows = kernel(
      {
        name: 'shows',
        params: { a: i8, b: u8, c: i16, d: u16, e: i32, f: u32, g: i64, h: u64, i: f32, j: f64, k: bool },
      },
      ({ print }, { a, b, c, d, e, f, g, h, i, j, k }) => {
        print('all of "them"\n', a, b, c, d, e, f, g, h, i, j, k, 7, true);
        print();
      },
    );
    await using world = await World.open({ backend: gpu.backend() });
    const lines = await world.run(async (comm) => {
      await comm.launch(shows, one, {
        a: -128,
        b: 255,
        c: -32768,
        d: 65535,
        e: -(2 ** 31),
        f: 2 ** 32 - 1,
        g: -(2n ** 63n),
        h: 2n ** 64n - 1n,
        i: 0.1,
        j: -1e300,
        k: true,
      });
      return (await comm.synchronize()).printed;
    });
    expect(lines).toEqual(
      [0, 1].map((rank) => [
        `[rank ${rank} cta 0 thread 0] all of "them"\n -128 255 -32768 65535 -2147483648 4294967295 -9223372036854775808 ` +
          `18446744073709551615 ${Math.fround(0.1)} -1e+300 true 7 true`,
        `[rank ${rank} cta 0 thread 0] `,
      ]),
    );
  });

  it.for(slow)('name CTAs and threads, and elements of vectors', async () => {
    const places = kernel({ name: 'places', params: { v: vec(f32, 4) } }, ({ print, threadIdx }, { v }) => {
      if (threadIdx.x === 1 && threadIdx.y === 1) print('v', v);
    });
    await using world = await World.open({ backend: gpu.backend() });
    const comm = world.comm(0);
    await comm.launch(places, { grid: { x: 2, z: 2 }, block: { x: 2, y: 2 } }, { v: [1, 2.5, Number.NaN, Infinity] });
    const { printed } = await comm.synchronize();
    expect(printed.toSorted()).toEqual(
      ['(0, 0, 1)', '(1, 0, 1)', '0', '1'].map((cta) => `[rank 0 cta ${cta} thread 3] v 1 2.5 NaN Infinity`),
    );
  });

  it.for(slow)('keep the order of a thread, whatever other threads print', async () => {
    await using world = await World.open({ backend: gpu.backend() });
    const comm = world.comm(1);
    for (let round = 0; round < 4; round++) await comm.launch(counts, { grid: 8, block: 4 }, { n: 100 });
    const { printed } = await comm.synchronize();
    expect(printed.length).toBe(4 * 8 * 4 * 100);
    const next = new Map<string, number>();
    for (const text of printed) {
      const { who = '', line } = /^(?<who>\[.*\]) thread \d+ line (?<line>\d+)$/.exec(text)?.groups ?? {};
      const expected = next.get(who) ?? 0;
      expect(Number(line)).toBe(expected % 100);
      next.set(who, expected + 1);
    }
    expect(next.size).toBe(32);
  });

  it.for(slow)('wrap around in a small buffer', async () => {
    await using world = await World.open({ backend: gpu.backend({ printBytes: 100 }) });
    const comm = world.comm(0);
    for (let value = 0; value < 50; value++) {
      await comm.launch(says, one, { value });
      expect((await comm.synchronize()).printed).toEqual([`[rank 0 cta 0 thread 0] value ${value}`]);
    }
  });

  it.for(slow)('beyond a full buffer are lost, and a line reports their number', async () => {
    await using world = await World.open({ backend: gpu.backend({ printBytes: 1024 }) });
    const comm = world.comm(0);
    await comm.launch(counts, one, { n: 30 });
    const { printed } = await comm.synchronize();
    // 5 words of 8 bytes each.
    expect(printed.slice(0, -1)).toEqual(
      Array.from({ length: 25 }, (_, i) => `[rank 0 cta 0 thread 0] thread 0 line ${i}`),
    );
    expect(printed.at(-1)).toBe('[rank 0] the print buffer of 1024 bytes was full: 5 lines are lost');
    await comm.launch(says, one, { value: 1 });
    expect((await comm.synchronize()).printed).toEqual(['[rank 0 cta 0 thread 0] value 1']);
  });

  it.for(slow)('belong to the stream of the launch', async () => {
    await using world = await World.open({ backend: gpu.backend() });
    const comm = world.comm(0);
    const stream = await comm.createStream();
    await comm.launch(says, one, { value: 1 });
    await comm.launch(says, { ...one, stream }, { value: 2 });
    await comm.launch(says, one, { value: 3 });
    expect((await stream.synchronize()).printed).toEqual(['[rank 0 cta 0 thread 0] value 2']);
    expect((await comm.synchronize()).printed).toEqual([1, 3].map((n) => `[rank 0 cta 0 thread 0] value ${n}`));
    expect((await comm.synchronize()).printed).toEqual([]);
  });

  it.for(slow)('are reported for every launch of a graph', async () => {
    await using world = await World.open({ backend: gpu.backend() });
    const graph = await world.capture(async (comm) => {
      await comm.launch(silent, one, {});
      await comm.launch(says, one, { value: comm.rank });
    });
    for (let i = 0; i < 3; i++) {
      await graph.launch();
      await graph.launch();
      for (const rank of [0, 1]) {
        const line = `[rank ${rank} cta 0 thread 0] value ${rank}`;
        expect((await world.comm(rank).synchronize()).printed).toEqual([line, line]);
      }
    }
  });

  it.for(slow)('are in the error of a cancelled launch', async () => {
    await using world = await World.open({ backend: gpu.backend() });
    const comm = world.comm(0);
    const controller = new AbortController();
    const abortable = { ...one, abortable: true, signal: controller.signal };
    await comm.launch(says, abortable, { value: 5 });
    const view = new DataView(gpu.lastLaunch().arguments.buffer);
    gpu.hang(true, Number(view.getBigUint64(view.byteLength - 8, true)));
    const ended = comm.synchronize();
    setTimeout(() => controller.abort(new Error('enough')), 5);
    await expect(ended).rejects.toMatchObject({
      code: 'NCCLTS_ABORTED',
      details: { printed: ['[rank 0 cta 0 thread 0] value 5'] },
    });
    gpu.hang(false);
    await comm.launch(says, one, { value: 6 });
    expect((await comm.synchronize()).printed).toEqual(['[rank 0 cta 0 thread 0] value 6']);
  });

  it.for(slow)('are in the error of a launch that takes too long', async () => {
    await using world = await World.open({ backend: gpu.backend({ launchTimeout: 20 }) });
    const comm = world.comm(1);
    await comm.launch(says, one, { value: 7 });
    gpu.hang(true);
    await expect(comm.synchronize()).rejects.toMatchObject({
      code: 'NCCL_TIMEOUT',
      details: { kernels: ['says'], printed: ['[rank 1 cta 0 thread 0] value 7'] },
    });
    gpu.hang(false);
  });

  it.for(quick)('include a failed assertion', async () => {
    const asserts = kernel({ name: 'asserts', params: {} }, ({ assert, print, threadIdx }) => {
      print('before');
      assert(threadIdx.x < 2, 'two threads at most');
    });
    const world = await World.open({ backend: gpu.backend() });
    const comm = world.comm(0);
    await comm.launch(asserts, { grid: 2, block: 4 }, {});
    const error: unknown = await comm.synchronize().catch((reason: unknown) => reason);
    gpu.fault(0);
    if (!isNcclError(error, 'NCCL_UNHANDLED_CUDA_ERROR')) throw new Error('the assertion held');
    expect(error.message).toMatch(
      /kernel 'asserts' on rank 0 \(GPU 0\)\. \[rank 0 cta [01] thread 2\] assertion failed: two threads at most \(and 1 more\)\./,
    );
    expect(error.details['printed']).toHaveLength(8);
    expect(error.details['printed']).toEqual(
      expect.arrayContaining(
        [0, 1].flatMap((cta) => [
          `[rank 0 cta ${cta} thread 0] before`,
          `[rank 0 cta ${cta} thread 1] before`,
          `[rank 0 cta ${cta} thread 2] before`,
          `[rank 0 cta ${cta} thread 2] assertion failed: two threads at most`,
        ]),
      ),
    );
    await world.close();
  });

  it.for(slow)('are not read if only an assertion could print', async () => {
    const holds = kernel({ name: 'holds', params: { n: u32 } }, ({ assert }, { n }) => assert(n > 0, 'there are some'));
    await using world = await World.open({ backend: gpu.backend() });
    const comm = world.comm(0);
    await comm.launch(holds, one, { n: 1 });
    const before = gpu.live().cuda;
    expect(await comm.synchronize()).toEqual({ launches: 1, printed: [] });
    // An event to wait for, and no memory from which to copy.
    expect(gpu.live().cuda - before).toBe(1);
  });

  it.for(slow)('cost nothing in kernels without a print', async () => {
    await using world = await World.open({ backend: gpu.backend() });
    const comm = world.comm(0);
    await comm.launch(silent, one, {});
    await comm.synchronize();
    expect(gpu.lastLaunch().arguments.length).toBe(0);
    const before = gpu.live().cuda;
    await comm.launch(says, one, { value: 0 });
    // On each of two GPUs: a module, the counts, and the ring. Copies between host and GPU have
    // their own memory.
    await comm.synchronize();
    expect(gpu.live().cuda - before).toBe(7);
  });

  it.for(quick)('free their memory', async () => {
    const before = gpu.live();
    {
      await using world = await World.open({ backend: gpu.backend() });
      await world.run(async (comm) => {
        await comm.launch(says, one, { value: comm.rank });
        await comm.synchronize();
      });
    }
    expect(gpu.live()).toEqual(before);
  });
});
