import { numberToBf16 } from '@nccl-ts/core';
import { bf16, bool, e4m3, f16, f32, i64, u32, vec } from '@nccl-ts/kernel';
import { WindowFlags } from '@nccl-ts/window';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  getLsaDevicePointer,
  getLsaMultimemDevicePointer,
  getMultimemDevicePointer,
  getPeerDevicePointer,
  winGetUserPtr,
  World,
  type Window,
} from '@nccl-ts/communicator';
import { memoryBackend, type MemoryBackendOptions } from './memory-backend/memory-backend.ts';
import { rejection } from './rejection.ts';

async function open(options: Partial<MemoryBackendOptions> = {}): Promise<World> {
  return World.open({ backend: memoryBackend({ ranks: 1, ...options }) });
}

async function allocAll(world: World): Promise<readonly Window<'f32'>[]> {
  return Promise.all(world.localRanks.map(async (rank) => world.comm(rank).allocWindow(f32, 4)));
}

describe('allocWindow', () => {
  it('makes zero-filled memory of the type', async () => {
    await using world = await open();
    const window = await world.comm(0).allocWindow(vec(f32, 4), 2);
    expect(window).toMatchObject({
      kind: 'window',
      rank: 0,
      bytes: 32,
      type: 'f32',
      flags: WindowFlags.CollSymmetric,
      isOpen: true,
    });
    expect(await window.read()).toEqual(new Float32Array(8));
  });

  it('accepts the name of a scalar type', async () => {
    await using world = await open();
    const window = await world.comm(0).allocWindow('u32', 2);
    expect(await window.read()).toEqual(new Uint32Array(2));
  });

  it('refuses impossible sizes and types', async () => {
    await using world = await open();
    const comm = world.comm(0);
    const messages = await Promise.all([
      rejection(comm.allocWindow(f32, 0)),
      rejection(comm.allocWindow(f32, 1.5)),
      rejection(comm.allocWindow(f32, Number.NaN)),
      rejection(comm.allocWindow('f31' as never, 1)),
      rejection(comm.allocWindow(7 as never, 1)),
      rejection(comm.allocWindow(f32, 1, { flags: 16 })),
    ]);
    expect(messages.every((error) => error.code === 'NCCL_INVALID_ARGUMENT')).toBe(true);
    expect(messages.map((error) => error.message)).toMatchInlineSnapshot(`
      [
        "allocWindow: count must be an integer from 1 to 2251799813685247; given 0.",
        "allocWindow: count must be an integer from 1 to 2251799813685247; given 1.5.",
        "allocWindow: count must be an integer from 1 to 2251799813685247; given NaN.",
        "allocWindow: type must be a value type such as f32 or vec(f32, 4), or a scalar's name; given "f31".",
        "allocWindow: type must be a value type such as f32 or vec(f32, 4), or a scalar's name; given 7.",
        "allocWindow: flags must be a combination of WindowFlags, 0 to 15; given 16.",
      ]
    `);
  });

  it('requires symmetric memory', async () => {
    await using world = await open({ support: { symmetric: false, multimem: false, gin: 'none' } });
    const error = await rejection(world.comm(0).allocWindow(f32, 1));
    expect(error.code).toBe('NCCLTS_NOT_SUPPORTED');
    expect(error.message).toMatchInlineSnapshot(
      `"allocWindow: the ranks of this world have no symmetric memory; given backend memory."`,
    );
  });

  it('for the network alone requires a network', async () => {
    await using without = await open({ support: { symmetric: true, multimem: false, gin: 'none' } });
    const error = await rejection(without.comm(0).allocWindow(f32, 1, { flags: WindowFlags.GinOnly }));
    expect(error.code).toBe('NCCLTS_NOT_SUPPORTED');
    expect(error.message).toMatchInlineSnapshot(
      `"allocWindow: cannot register a window for GIN alone (WindowFlags.GinOnly) because these ranks have no network; leave the flag out. Backend: memory."`,
    );
    const memory = await without.comm(0).memAlloc(8);
    const flags = WindowFlags.GinOnly;
    expect((await rejection(without.comm(0).registerWindow(memory, { type: f32, flags }))).code).toBe(error.code);
  });
});

describe('registerWindow', () => {
  it('refuses if required symmetric memory is missing, and otherwise returns a window', async () => {
    await using without = await open({ support: { symmetric: false, multimem: false, gin: 'none' } });
    const bytes = await without.comm(0).memAlloc(8);
    expect(await without.comm(0).registerWindow(bytes, { type: f32 })).toBeNull();
    const error = await rejection(without.comm(0).registerWindow(bytes, { type: f32, required: true }));
    expect(error.code).toBe('NCCLTS_NOT_SUPPORTED');
    expect(error.message).toMatchInlineSnapshot(
      `"registerWindow: the ranks of this world have no symmetric memory; given backend memory."`,
    );

    await using world = await open();
    const window = await world.comm(0).registerWindow(await world.comm(0).memAlloc(8), { type: f32, required: true });
    await window.write([1, 2]);
    expect(await window.read()).toEqual(new Float32Array([1, 2]));
  });

  it('makes a window over memory of the caller, as bytes or as elements', async () => {
    await using world = await open();
    const comm = world.comm(0);
    const memory = await comm.memAlloc(8);
    const bytes = await comm.registerWindow(memory);
    const floats = await comm.registerWindow(memory, { type: f32, flags: WindowFlags.StrictOrdering });
    await floats?.write([1, 2]);
    expect(await bytes?.read()).toEqual(new Uint8Array(new Float32Array([1, 2]).buffer));
    expect(await floats?.read()).toEqual(new Float32Array([1, 2]));
    expect(floats?.flags).toBe(WindowFlags.StrictOrdering);
    expect(await memory.read(new Float32Array(1), 4)).toEqual(new Float32Array([2]));
  });

  it('may begin inside the memory, and shows only its own bytes', async () => {
    await using world = await open();
    const comm = world.comm(0);
    const memory = await comm.memAlloc(3 * 4096);
    const win = await comm.registerWindow(memory, { type: f32, offset: 4096, bytes: 4096 });
    await win?.write([5], 8);
    expect(win?.bytes).toBe(4096);
    expect(await memory.read(new Float32Array(1), 4096 + 8)).toEqual(new Float32Array([5]));
    expect(await win?.read(new Float32Array(1), 8)).toEqual(new Float32Array([5]));
    expect((await win?.read())?.length).toBe(1024);
    await expect(win?.write([1], 4096)).rejects.toThrow('4096');
  });

  it('returns null without symmetric memory, as in NCCL', async () => {
    await using world = await open({ support: { symmetric: false, multimem: false, gin: 'none' } });
    const memory = await world.comm(0).memAlloc(4096);
    expect(await world.comm(0).registerWindow(memory)).toBeNull();
  });

  it('refuses impossible windows', async () => {
    await using world = await open({ ranks: 2 });
    const comm = world.comm(0);
    const memory = await comm.memAlloc(8192);
    const freed = await comm.memAlloc(1);
    await comm.memFree(freed);
    const errors = await Promise.all([
      rejection(comm.memAlloc(0)),
      rejection(comm.registerWindow(memory, { offset: 100 })),
      rejection(comm.registerWindow(memory, { offset: 8192 })),
      rejection(comm.registerWindow(memory, { bytes: 0 })),
      rejection(comm.registerWindow(memory, { offset: 4096, bytes: 4097 })),
      rejection(comm.registerWindow(new Uint8Array(8) as never)),
      rejection(world.comm(1).registerWindow(memory)),
      rejection(comm.registerWindow(freed)),
    ]);
    expect(errors.map((error) => `${error.code} ${error.message}`)).toMatchInlineSnapshot(`
      [
        "NCCL_INVALID_ARGUMENT memAlloc: bytes must be an integer from 1 to 9007199254740991; given 0.",
        "NCCL_INVALID_ARGUMENT registerWindow: offset must be a multiple of 4096; given 100.",
        "NCCL_INVALID_ARGUMENT registerWindow: offset must be an integer from 0 to 8191; given 8192.",
        "NCCL_INVALID_ARGUMENT registerWindow: bytes must be an integer from 1 to 8192; given 0.",
        "NCCL_INVALID_ARGUMENT registerWindow: bytes must be an integer from 1 to 4096; given 4097.",
        "NCCL_INVALID_ARGUMENT registerWindow: memory must come from memAlloc or adoptMemory; given a Uint8Array of 8 bytes.",
        "NCCL_INVALID_ARGUMENT registerWindow: the memory belongs to rank 0 or another world; this is rank 1.",
        "NCCLTS_CLOSED registerWindow: the memory was freed.",
      ]
    `);
  });

  it('keeps freed memory until no rank has a window on it', async () => {
    const backend = memoryBackend({ ranks: 2 });
    await using world = await World.open({ backend });
    const device = backend.worlds[0];
    const [first, second] = await Promise.all(
      [0, 1].map(async (rank) => {
        const memory = await world.comm(rank).memAlloc(4096);
        return { memory, window: await world.comm(rank).registerWindow(memory) };
      }),
    );
    await first?.window?.deregister();
    await first?.memory.close();
    expect(device?.live).toMatchObject({ buffers: 2, windows: 1 });
    await second?.window?.deregister();
    expect(device?.live).toMatchObject({ buffers: 1, windows: 0 });
    await second?.memory.close();
    await second?.memory.close();
    expect(device?.live.buffers).toBe(0);
  });
});

describe('reads and writes', () => {
  it('convert between values and memory', async () => {
    await using world = await open();
    const comm = world.comm(0);
    const small = await comm.allocWindow(bf16, 3);
    await small.write(new Float32Array([1, 2.5, 1e-3]));
    expect(await small.read()).toEqual(new Float32Array([1, 2.5, 0.00099945068359375]));
    await small.write(new Uint16Array([numberToBf16(7)]), 2);
    expect(await small.read(new Uint16Array(3))).toEqual(new Uint16Array([1, 7, 1e-3].map(numberToBf16)));
    const wide = await comm.allocWindow(i64, 2);
    await wide.write([-1n, 5n]);
    await wide.write([7], 8);
    expect(await wide.read()).toEqual(new BigInt64Array([-1n, 7n]));
    const truths = await comm.allocWindow(bool, 2);
    await truths.write([true, false]);
    expect(await truths.read()).toEqual(new Uint8Array([1, 0]));
    const tiny = await comm.allocWindow(e4m3, 2);
    await tiny.write([1.1, 1000]);
    expect(await tiny.read()).toEqual(new Float32Array([1.125, 448]));
  });

  it('return the written values, for every type', async () => {
    await using world = await open();
    const comm = world.comm(0);
    const window = await comm.allocWindow(f32, 64);
    await fc.assert(
      fc.asyncProperty(fc.float32Array({ minLength: 1, maxLength: 32 }), fc.nat(32), async (values, start) => {
        await window.write(values, start * 4);
        expect(await window.read(new Float32Array(values.length), start * 4)).toEqual(values);
      }),
      { seed: 2, numRuns: 50 },
    );
  });

  it('take raw bytes for any type', async () => {
    await using world = await open();
    const window = await world.comm(0).allocWindow(f32, 2);
    const bytes = new Uint8Array(new Float32Array([3, 4]).buffer);
    for (const data of [bytes, bytes.buffer, new DataView(bytes.buffer)]) {
      await window.write(new Float32Array(2));
      await window.write(data);
      expect(await window.read()).toEqual(new Float32Array([3, 4]));
    }
  });

  it('refuse data of the wrong type or size', async () => {
    await using world = await open();
    const comm = world.comm(0);
    const floats = await comm.allocWindow(f32, 2);
    const halves = await comm.allocWindow(f16, 2);
    const words = await comm.allocWindow(u32, 2);
    const errors = await Promise.all([
      rejection(floats.write(new Float64Array(1))),
      rejection(halves.write(new Int32Array(1))),
      rejection(floats.write('text' as never)),
      rejection(words.write([-1])),
      rejection(words.write([1, 2, 3])),
      rejection(words.write([1], 8)),
      rejection(words.write([1], -4)),
      rejection(words.read(new Uint8Array(9))),
      rejection(words.read(new Uint8Array(1), 8.5)),
    ]);
    expect(errors.every((error) => error.code === 'NCCL_INVALID_ARGUMENT')).toBe(true);
    expect(errors.map((error) => error.message)).toMatchInlineSnapshot(`
      [
        "write: data must be a Float32Array, an array of values or raw bytes (a Uint8Array, a DataView, an ArrayBuffer) for f32; given a Float64Array of 8 bytes.",
        "write: data must be a Float32Array, a Uint16Array, a Float16Array, an array of values or raw bytes (a Uint8Array, a DataView, an ArrayBuffer) for f16; given an Int32Array of 4 bytes.",
        "write: data must be a Float32Array, an array of values or raw bytes (a Uint8Array, a DataView, an ArrayBuffer) for f32; given "text".",
        "Element 0 of an array of u32 must be a whole number from 0 to 4294967295; given -1.",
        "write: 12 bytes at offset 0 end past the memory's 8 bytes.",
        "write: 4 bytes at offset 8 end past the memory's 8 bytes.",
        "write: offset must be an integer from 0 to 8; given -4.",
        "read: 9 bytes at offset 0 end past the memory's 8 bytes.",
        "read: offset must be an integer from 0 to 8; given 8.5.",
      ]
    `);
  });
});

describe('deregister', () => {
  it('ends one rank at a time, and the window with the last', async () => {
    const backend = memoryBackend({ ranks: 2 });
    await using world = await World.open({ backend });
    const [first, second] = await allocAll(world);
    await first?.deregister();
    await first?.deregister();
    expect(backend.worlds[0]?.live).toMatchObject({ windows: 1, buffers: 2 });
    expect(await second?.read()).toEqual(new Float32Array(4));
    const closed = await rejection(first?.read() ?? Promise.resolve());
    expect(closed.code).toBe('NCCLTS_CLOSED');
    expect(closed.message).toMatchInlineSnapshot(`"read: the window was deregistered."`);
    await second?.close();
    expect(backend.worlds[0]?.live).toMatchObject({ windows: 0, buffers: 0 });
  });

  it('runs at the end of a block', async () => {
    const backend = memoryBackend({ ranks: 1 });
    await using world = await World.open({ backend });
    {
      await using window = await world.comm(0).allocWindow(f32, 1);
      expect(window.isOpen).toBe(true);
    }
    expect(backend.worlds[0]?.live).toMatchObject({ windows: 0, buffers: 0 });
  });
});

describe('a symmetric pointer', () => {
  it('is a position in the window, of its type or of another', async () => {
    await using world = await open();
    const window = await world.comm(0).allocWindow(f32, 4);
    expect(window.symPtr()).toMatchObject({ kind: 'symPtr', window, element: 'f32', offset: 0 });
    expect(window.symPtr(4, u32).add(2)).toMatchObject({ window, element: 'u32', offset: 12 });
    expect(() => window.symPtr(16)).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: symPtr: offset must be an integer from 0 to 15; given 16.]`,
    );
    await window.deregister();
    expect(() => window.symPtr()).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: symPtr: the window was deregistered.]`,
    );
  });
});

describe('device pointers', () => {
  it('reach only LSA peers', async () => {
    await using world = await open({ ranks: 4, lsaSize: 2 });
    const window = (await allocAll(world))[3];
    if (window === undefined) throw new Error('no window');
    expect(winGetUserPtr(window)).toMatchObject({ kind: 'devicePointer', rank: 3, address: 0x4000000 });
    expect(getLsaDevicePointer(window, 4, 0)).toMatchObject({ rank: 3, address: 0x3000004 });
    expect(getPeerDevicePointer(window, 4, 2)).toMatchObject({ rank: 3, address: 0x3000004 });
    expect(getPeerDevicePointer(window, 4, 0)).toBeNull();
    expect(getLsaMultimemDevicePointer(window, 0)).toBeNull();
    expect(getMultimemDevicePointer(window, 0, { mcBasePtr: 0x7000000 })).toBeNull();
  });

  it('reach the whole LSA team with multimem', async () => {
    await using world = await open({ ranks: 4, lsaSize: 2, capabilities: { multimem: true } });
    const [window] = await allocAll(world);
    if (window === undefined) throw new Error('no window');
    expect(world.comm(0).properties.multimemSupport).toBe(true);
    expect(getLsaMultimemDevicePointer(window, 8)).toMatchObject({ rank: 0, address: 0x7000008 });
    expect(getMultimemDevicePointer(window, 8, { mcBasePtr: 0x8000000 })).toMatchObject({ address: 0x8000008 });
    expect(getMultimemDevicePointer(window, 8, { mcBasePtr: 0 })).toBeNull();
    expect(() => getMultimemDevicePointer(window, 8, { mcBasePtr: -1 })).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: getMultimemDevicePointer: handle.mcBasePtr must be an integer from 0 to 9007199254740991; given -1.]`,
    );
  });

  it('refuse offsets and ranks that do not exist', async () => {
    await using world = await open({ ranks: 4, lsaSize: 2 });
    const [window] = await allocAll(world);
    if (window === undefined) throw new Error('no window');
    expect(() => getLsaDevicePointer(window, 16, 0)).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: getLsaDevicePointer: offset must be an integer from 0 to 15; given 16.]`,
    );
    expect(() => getPeerDevicePointer(window, -1, 0)).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: getPeerDevicePointer: offset must be an integer from 0 to 15; given -1.]`,
    );
    expect(() => getLsaDevicePointer(window, 0, 2)).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: getLsaDevicePointer: lsaPeer must be an integer from 0 to 1; given 2.]`,
    );
    expect(() => getPeerDevicePointer(window, 0, 4)).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: getPeerDevicePointer: peer must be an integer from 0 to 3; given 4.]`,
    );
    expect(() => getLsaMultimemDevicePointer(window, 0.5)).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: getLsaMultimemDevicePointer: offset must be an integer from 0 to 15; given 0.5.]`,
    );
    expect(() => winGetUserPtr({} as never)).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: winGetUserPtr: window must come from allocWindow or registerWindow; given an object with no properties.]`,
    );
    await window.deregister();
    expect(() => getLsaDevicePointer(window, 0, 0)).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: getLsaDevicePointer: the window was deregistered.]`,
    );
  });
});
