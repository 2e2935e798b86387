import { f32, kernel, u32 } from '@nccl-ts/kernel';
import type { HostOf, Kernel } from '@nccl-ts/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  getLsaDevicePointer,
  World,
  type Communicator,
  type DevComm,
  type DevicePointer,
  type Window,
} from '@nccl-ts/communicator';
import { memoryBackend, type MemoryBackend } from './memory-backend/memory-backend.ts';
import { empty, everything } from './memory-backend/kernels.ts';
import { rejection } from './rejection.ts';

/** Kernels cannot call this. */
function outside(): void {}

type Arguments = NonNullable<typeof everything extends Kernel<infer A> ? A : never>;

const shape = { grid: 1, block: 32 };
let backend: MemoryBackend;
let world: World;
let comm: Communicator;
let windows: readonly Window<'f32'>[];
let devComms: readonly DevComm[];
let good: Arguments;

beforeAll(async () => {
  backend = memoryBackend({ ranks: 2 });
  world = await World.open({ backend });
  comm = world.comm(0);
  windows = await Promise.all([0, 1].map((rank) => world.comm(rank).allocWindow(f32, 4)));
  devComms = await Promise.all([0, 1].map((rank) => world.comm(rank).createDevComm({ lsaBarrierCount: 1 })));
  good = {
    comm: own(devComms),
    win: own(windows),
    count: 4,
    small: 255,
    big: 2 ** 40,
    signed: -(2n ** 63n),
    offset: 8n,
    flag: true,
    scale: 0.1,
    half: 0.1,
    tiny: 1.1,
    four: [1, 2, 3, 4],
    at: pointer(0),
    team: comm.teamLsa(),
    place: own(windows).symPtr(4),
  };
});

afterAll(() => world.close());

function own<T>(all: readonly T[]): T {
  const [first] = all;
  if (first === undefined) throw new Error('nothing there');
  return first;
}

function pointer(rank: number): DevicePointer {
  const window = windows[rank];
  const address = window === undefined ? null : getLsaDevicePointer(window, 4, 1);
  if (address === null) throw new Error('no pointer');
  return address;
}

describe('arguments', () => {
  it('arrive flattened, in the order of the parameters and in the range of their types', async () => {
    await comm.launch(everything, { grid: { x: 2, z: 3 }, block: 64 }, good);
    const launch = backend.worlds[0]?.launches.at(-1);
    expect(launch?.name).toBe('everything');
    expect(launch?.config).toMatchObject({ grid: { x: 2, y: 1, z: 3 }, block: { x: 64, y: 1, z: 1 } });
    expect(launch?.args).toMatchObject([
      { kind: 'devComm', devComm: { plan: { lsaBarrier: { nBarriers: 1 } } } },
      { kind: 'window', window: { bytes: 16 } },
      { kind: 'scalar', value: 4 },
      { kind: 'scalar', value: 255 },
      { kind: 'scalar', value: 2n ** 40n },
      { kind: 'scalar', value: -(2n ** 63n) },
      { kind: 'scalar', value: 8 },
      { kind: 'scalar', value: true },
      { kind: 'scalar', value: Math.fround(0.1) },
      { kind: 'scalar', value: 0.0999755859375 },
      { kind: 'scalar', value: 1.125 },
      { kind: 'vector', values: [1, 2, 3, 4] },
      { kind: 'pointer', address: 0x2000004 },
      { kind: 'scalar', value: 2 },
      { kind: 'scalar', value: 0 },
      { kind: 'scalar', value: 1 },
      { kind: 'window' },
      { kind: 'scalar', value: 4 },
    ]);
  });

  it("match the number of the module's parameters", async () => {
    await comm.launch(everything, shape, good);
    expect(backend.worlds[0]?.launches.at(-1)?.args).toHaveLength(everything.compile().params.length);
  });

  it('keep infinities, NaN and values that only round into range', async () => {
    const { launches } = backend.worlds[0] ?? { launches: [] };
    for (const [given, taken] of [
      [Infinity, Infinity],
      [Number.NaN, Number.NaN],
      [3.4028235e38, 3.4028234663852886e38],
      [-0, -0],
    ] as const) {
      await comm.launch(everything, shape, { ...good, scale: given });
      expect(launches.at(-1)?.args[8]).toEqual({ kind: 'scalar', value: taken });
    }
  });

  it('are refused if they do not fit', async () => {
    const wrong: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      'a count below zero': { count: -1 },
      'a fraction': { count: 1.5 },
      'a bigint for u32': { count: 1n },
      'text for u32': { count: '4' },
      '300 for u8': { small: 300 },
      'a number that is not safe': { big: 2 ** 53 },
      'a bigint past u64': { big: 2n ** 64n },
      'an address past 2^53 - 1': { offset: 2n ** 53n },
      'a number for bool': { flag: 1 },
      'text for f32': { scale: '1' },
      'a number past f32': { scale: 1e39 },
      'a number past f16': { half: 65520 },
      'a number past e4m3': { tiny: 449 },
      'an infinity for e4m3': { tiny: Infinity },
      'a vector too short': { four: [1, 2, 3] },
      'text in a vector': { four: [1, 2, 3, 'x'] },
      'a null window': { win: null },
      'something else for a window': { win: new Float32Array(4) },
      'something else for a device communicator': { comm: { kind: 'devComm' } },
      'a number for a pointer': { at: 4096 },
      'a null pointer': { at: null },
      'something else for a struct': { team: 3 },
      'a struct without a field': { team: { nRanks: 1, rank: 0 } },
      'a bad field of a struct': { place: { window: null, offset: 0 } },
      'a symmetric pointer to another type': { place: own(windows).symPtr(4, u32) },
      'a missing argument': { count: undefined, win: undefined },
      'an unknown argument': { cout: 3 },
    };
    const before = backend.worlds[0]?.launches.length;
    const errors = await Promise.all(
      Object.values(wrong).map((change) => rejection(comm.launch(everything, shape, { ...good, ...change }))),
    );
    expect(errors.every((error) => error.code === 'NCCL_INVALID_ARGUMENT')).toBe(true);
    expect(backend.worlds[0]?.launches).toHaveLength(before ?? 0);
    const messages = Object.keys(wrong).map(
      (name, i) => `${name}: ${errors[i]?.message.replace('launch of everything: ', '')}`,
    );
    expect(messages).toMatchInlineSnapshot(`
      [
        "a count below zero: argument count must be an integer from 0 to 4294967295 (u32); given -1.",
        "a fraction: argument count must be an integer from 0 to 4294967295 (u32); given 1.5.",
        "a bigint for u32: argument count must be an integer from 0 to 4294967295 (u32); given 1n.",
        "text for u32: argument count must be an integer from 0 to 4294967295 (u32); given "4".",
        "300 for u8: argument small must be an integer from 0 to 255 (u8); given 300.",
        "a number that is not safe: argument big must be an integer, as a safe number or a bigint, from 0 to 18446744073709551615 (u64); given 9007199254740992.",
        "a bigint past u64: argument big must be an integer, as a safe number or a bigint, from 0 to 18446744073709551615 (u64); given 18446744073709551616n.",
        "an address past 2^53 - 1: argument offset must be an integer, as a safe number or a bigint, from 0 to 9007199254740991 (addr); given 9007199254740992n.",
        "a number for bool: argument flag must be a boolean (bool); given 1.",
        "text for f32: argument scale must be a number (f32); given "1".",
        "a number past f32: argument scale must be a number from -3.4028234663852886e+38 to 3.4028234663852886e+38, an infinity or NaN (f32); given 1e+39.",
        "a number past f16: argument half must be a number from -65504 to 65504, an infinity or NaN (f16); given 65520.",
        "a number past e4m3: argument tiny must be a number from -448 to 448 or NaN (e4m3); given 449.",
        "an infinity for e4m3: argument tiny must be a number from -448 to 448 or NaN (e4m3); given Infinity.",
        "a vector too short: argument four must be an array of 4 numbers (vec(f32, 4)); given an array of 3.",
        "text in a vector: argument four[3] must be a number (f32); given "x".",
        "a null window: argument win must be a window; given null: registration gives null where symmetric memory is not supported.",
        "something else for a window: argument win must be a window, as allocWindow and registerWindow give it; given a Float32Array of 16 bytes.",
        "something else for a device communicator: argument comm must be a device communicator, as createDevComm gives it; given an object with kind.",
        "a number for a pointer: argument at must be a device pointer, as getLsaDevicePointer and the like give it; given 4096.",
        "a null pointer: argument at must be a device pointer, as getLsaDevicePointer and the like give it; given null: this rank cannot load and store that memory.",
        "something else for a struct: argument team must be a Team with nRanks, rank, stride; given 3.",
        "a struct without a field: argument team must be a Team with nRanks, rank, stride; given an object with nRanks, rank, without stride.",
        "a bad field of a struct: argument place.window must be a window; given null: registration gives null where symmetric memory is not supported.",
        "a symmetric pointer to another type: argument place must be a SymPtr to f32; given one to "u32": cast("f32") gives the same place.",
        "a missing argument: win, count missing; the kernel takes comm, win, count, small, big, signed, offset, flag, scale, half, tiny, four, at, team, place.",
        "an unknown argument: no parameter is called cout; the kernel takes comm, win, count, small, big, signed, offset, flag, scale, half, tiny, four, at, team, place.",
      ]
    `);
  });

  it('are refused if they belong to another rank', async () => {
    const errors = await Promise.all([
      rejection(comm.launch(everything, shape, { ...good, win: windows[1] } as never)),
      rejection(comm.launch(everything, shape, { ...good, comm: devComms[1] } as never)),
      rejection(comm.launch(everything, shape, { ...good, at: pointer(1) })),
    ]);
    expect(errors.every((error) => error.code === 'NCCL_INVALID_ARGUMENT')).toBe(true);
    expect(errors.map((error) => error.message)).toMatchInlineSnapshot(`
      [
        "launch of everything: argument win: the window is rank 1's; each rank passes its own, this is rank 0.",
        "launch of everything: argument comm: the device communicator is rank 1's; each rank passes its own, this is rank 0.",
        "launch of everything: argument at: the device pointer is rank 1's; each rank passes its own, this is rank 0.",
      ]
    `);
  });

  it('are refused if they belong to another world', async () => {
    await using other = await World.open({ backend: memoryBackend({ ranks: 1 }) });
    const win = await other.comm(0).allocWindow(f32, 4);
    const error = await rejection(comm.launch(everything, shape, { ...good, win }));
    expect(error.message).toMatchInlineSnapshot(
      `"launch of everything: argument win: the window is rank 0 of another world's; each rank passes its own, this is rank 0."`,
    );
  });

  it('are refused if they were closed', async () => {
    await using other = await World.open({ backend: memoryBackend({ ranks: 1 }) });
    const closing = other.comm(0);
    const win = await closing.allocWindow(f32, 4);
    const devComm = await closing.createDevComm();
    const at = getLsaDevicePointer(win, 0, 0);
    const args = { ...good, comm: devComm, win, at, place: { window: win, offset: 0 } } as Arguments;
    await closing.launch(everything, shape, args);
    await devComm.destroy();
    const destroyed = await rejection(closing.launch(everything, shape, args));
    await win.deregister();
    const deregistered = await rejection(
      closing.launch(everything, shape, { ...args, comm: await closing.createDevComm() }),
    );
    const one = kernel({ name: 'one', params: { at: everything.params['at'] as never } }, () => {});
    const ended = await rejection(closing.launch(one, shape, { at } as never));
    expect([destroyed, deregistered, ended].map((error) => `${error.code} ${error.message}`)).toMatchInlineSnapshot(`
      [
        "NCCLTS_CLOSED launch of everything: argument comm: the device communicator was destroyed.",
        "NCCLTS_CLOSED launch of everything: argument win: the window was deregistered.",
        "NCCLTS_CLOSED launch of one: argument at: the window of the device pointer was deregistered, so the pointer is invalid.",
      ]
    `);
  });

  it('must be an object', async () => {
    expect((await rejection(comm.launch(everything, shape, null as never))).message).toMatchInlineSnapshot(
      `"launch of everything: the arguments must be an object with comm, win, count, small, big, signed, offset, flag, scale, half, tiny, four, at, team, place; given null."`,
    );
    await comm.launch(empty, shape, {});
  });

  it('are checked by TypeScript', () => {
    const counted = kernel({ name: 'counted', params: { count: u32 } }, () => {});
    const host: HostOf<typeof counted> = { count: 1 };
    // @ts-expect-error a missing argument
    const missing: () => Promise<void> = () => comm.launch(counted, shape, {});
    // @ts-expect-error a wrong argument
    const wrong: () => Promise<void> = () => comm.launch(counted, shape, { count: 'x' });
    // @ts-expect-error an unknown argument
    const unknown: () => Promise<void> = () => comm.launch(counted, shape, { count: 1, more: 2 });
    expect([host, missing, wrong, unknown]).toHaveLength(4);
  });
});

describe('the shape of a launch', () => {
  it('is refused if CUDA or the backend does not support it', async () => {
    const wrong: Readonly<Record<string, unknown>> = {
      'no grid': { block: 1 },
      'a grid of 0': { grid: 0, block: 1 },
      'a fraction': { grid: 1.5, block: 1 },
      text: { grid: '4', block: 1 },
      'a negative y': { grid: { x: 1, y: -1 }, block: 1 },
      'a w': { grid: { x: 1, w: 2 }, block: 1 },
      'no x': { grid: { y: 1 }, block: 1 },
      'too many CTAs in z': { grid: { x: 1, z: 65536 }, block: 1 },
      'too many threads': { grid: 1, block: 1025 },
      'too many threads in three dimensions': { grid: 1, block: { x: 32, y: 32, z: 2 } },
      'something else for a stream': { grid: 1, block: 1, stream: {} },
    };
    const errors = await Promise.all(
      Object.values(wrong).map((options) => rejection(comm.launch(empty, options as never, {}))),
    );
    expect(errors.every((error) => error.code === 'NCCL_INVALID_ARGUMENT')).toBe(true);
    const messages = Object.keys(wrong).map(
      (name, i) => `${name}: ${errors[i]?.message.replace('launch of empty: ', '')}`,
    );
    expect(messages).toMatchInlineSnapshot(`
      [
        "no grid: grid must be an integer of 1 or more or { x, y?, z? } of such; given undefined.",
        "a grid of 0: grid must be an integer of 1 or more; given 0.",
        "a fraction: grid must be an integer of 1 or more; given 1.5.",
        "text: grid must be an integer of 1 or more or { x, y?, z? } of such; given "4".",
        "a negative y: grid.y must be an integer of 1 or more; given -1.",
        "a w: grid has x, y and z; given w as well.",
        "no x: grid must be an integer of 1 or more or { x, y?, z? } of such; given an object with y.",
        "too many CTAs in z: grid.z must be 65535 CTAs at most; given 65536.",
        "too many threads: block must have 1024 threads at most on backend memory; given 1025 x 1 x 1 = 1025.",
        "too many threads in three dimensions: block must have 1024 threads at most on backend memory; given 32 x 32 x 2 = 2048.",
        "something else for a stream: stream must come from createStream; given an object with no properties.",
      ]
    `);
  });

  it('may have more CTAs than there are barriers', async () => {
    await comm.launch(everything, { grid: 1000, block: 32 }, good);
    expect(backend.worlds[0]?.launches.at(-1)?.config.grid.x).toBe(1000);
  });

  it('may not name a stream of another rank', async () => {
    const stream = await world.comm(1).createStream();
    const error = await rejection(comm.launch(empty, { ...shape, stream }, {}));
    expect(error.message).toMatchInlineSnapshot(
      `"launch of empty: the stream belongs to rank 1 or another world; this is rank 0."`,
    );
    await stream.close();
    expect(await rejection(world.comm(1).launch(empty, { ...shape, stream }, {}))).toMatchObject({
      code: 'NCCLTS_CLOSED',
    });
  });
});

describe('compilation', () => {
  it('happens once for each world and kernel', async () => {
    const other = memoryBackend({ ranks: 4 });
    await using many = await World.open({ backend: other });
    await many.run(async (rank) => {
      await rank.launch(empty, shape, {});
      await rank.launch(empty, { grid: 2, block: 64 }, {});
    });
    expect(other.worlds[0]?.calls.get('compile')).toBe(1);
    expect(other.worlds[0]?.launches).toHaveLength(8);
  });

  it("fails with the kernel's diagnostics", async () => {
    const wrong = kernel({ name: 'wrong' }, () => {
      outside();
    });
    const error = await rejection(comm.launch(wrong, shape, {}));
    expect(error.code).toBe('NCCLTS_COMPILE');
    expect(error.details).toHaveProperty('diagnostics');
  });

  it('fails if the backend lacks a feature of the kernel', async () => {
    await using narrow = await World.open({ backend: memoryBackend({ ranks: 1, capabilities: { scalars: ['i32'] } }) });
    const wide = kernel({ name: 'wide', params: { count: u32 } }, () => {});
    const error = await rejection(narrow.comm(0).launch(wide, shape, { count: 1 }));
    expect(error.code).toBe('NCCLTS_COMPILE');
    expect(error.details).toMatchObject({ kernel: 'wide', diagnostics: [{ severity: 'error' }] });
    expect(error.message).toContain("kernel 'wide' cannot run on backend memory");
  });

  it('requires a kernel', async () => {
    const error = await rejection(comm.launch((() => {}) as never, shape, {}));
    expect(error.message).toMatchInlineSnapshot(`"launch: kernel must come from kernel(...); given a function."`);
  });
});

describe('the signal of a launch', () => {
  it('is passed to the backend, and stops a launch that was not made yet', async () => {
    const controller = new AbortController();
    await comm.launch(empty, { ...shape, signal: controller.signal }, {});
    expect(backend.worlds[0]?.launches.at(-1)?.config.signal).toBe(controller.signal);
    controller.abort('no more');
    const error = await rejection(comm.launch(empty, { ...shape, signal: controller.signal }, {}));
    expect(error).toMatchObject({ code: 'NCCLTS_ABORTED', cause: 'no more' });
  });
});

describe('objects that misbehave', () => {
  const thrown = (): never => {
    throw new RangeError('boom');
  };
  const hostile = new Proxy({}, { get: thrown, has: thrown, ownKeys: thrown, getPrototypeOf: thrown });

  it.each([
    ['the kernel', () => comm.launch(hostile as typeof everything, shape, good)],
    ['the options', () => comm.launch(everything, hostile as typeof shape, good)],
    ['the grid', () => comm.launch(everything, { ...shape, grid: hostile as never }, good)],
    ['the arguments', () => comm.launch(everything, shape, hostile as Arguments)],
    ['an argument', () => comm.launch(everything, shape, { ...good, win: hostile as Arguments['win'] })],
    [
      'a getter',
      () =>
        comm.launch(everything, shape, {
          ...good,
          get count() {
            return thrown();
          },
        }),
    ],
  ])('are named if they throw: %s', async (_what, launched) => {
    expect(await rejection(launched())).toMatchObject({
      code: 'NCCL_INVALID_ARGUMENT',
      message: expect.stringContaining('throws while it is read (boom): pass plain objects'),
      cause: expect.any(RangeError),
    });
  });

  it('are refused as prototypes of empty arrays', async () => {
    const refused = {
      code: 'NCCL_INVALID_USAGE',
      message: expect.stringContaining('has set Object.prototype[0], so empty arrays have elements: delete it'),
    };
    // oxlint-disable-next-line no-extend-native -- what a page may do
    Object.defineProperty(Object.prototype, '0', { value: 7, configurable: true });
    let errors: readonly unknown[] = [];
    try {
      errors = [
        await World.open({ backend }).catch((error: unknown) => error),
        await comm.launch(everything, shape, good).catch((error: unknown) => error),
      ];
    } finally {
      Reflect.deleteProperty(Object.prototype, '0');
    }
    expect(errors).toMatchObject([refused, refused]);
  });
});
