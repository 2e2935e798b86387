import { f32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { World } from '@nccl-ts/communicator';
import { memoryBackend } from './memory-backend/memory-backend.ts';
import { rejection } from './rejection.ts';

describe('adoptMemory', () => {
  it('adopts existing memory, and registers it', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 2, adopts: true }) });
    const mine = [0, 1].map((rank) => new Uint8Array(new Float32Array(2048).fill(rank + 1).buffer));
    const windows = await world.run(async (comm) => {
      const memory = await comm.adoptMemory(mine[comm.rank] ?? {});
      expect(memory).toMatchObject({ kind: 'memory', rank: comm.rank, bytes: 8192, isOpen: true });
      return comm.registerWindow(memory, { type: f32, offset: 4096 });
    });
    expect((await windows[1]?.read())?.at(-1)).toBe(2);
    await windows[0]?.write([7], 0);
    expect(new Float32Array(mine[0]?.buffer ?? new ArrayBuffer(0))[1024]).toBe(7);
  });

  it('releases it when it or its communicator is closed', async () => {
    const backend = memoryBackend({ ranks: 1, adopts: true });
    await using world = await World.open({ backend });
    const memory = await world.comm(0).adoptMemory(new Uint8Array(4096));
    const window = await world.comm(0).registerWindow(memory);
    await memory.close();
    expect(backend.worlds[0]?.live.buffers).toBe(1);
    await window?.deregister();
    expect(backend.worlds[0]?.live.buffers).toBe(0);
    expect((await rejection(memory.read())).code).toBe('NCCLTS_CLOSED');

    await world.comm(0).adoptMemory(new Uint8Array(4096));
    await world.comm(0).close();
    expect(backend.worlds[0]?.live.buffers).toBe(0);
    expect((await rejection(world.comm(0).adoptMemory({}))).code).toBe('NCCLTS_CLOSED');
  });

  it('fails if the backend cannot adopt memory', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 1 }) });
    const error = await rejection(world.comm(0).adoptMemory({}));
    expect(error.code).toBe('NCCLTS_NOT_SUPPORTED');
    expect(error.message).toMatchInlineSnapshot(
      `"adoptMemory: backend memory takes no memory of the program's; allocate it with memAlloc(bytes) or allocWindow(type, count), and copy, or see expose()."`,
    );
  });

  it.each([undefined, null, 7, 'buffer', () => 0])('refuses %o', async (given) => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 1, adopts: true }) });
    const error = await rejection(world.comm(0).adoptMemory(given as never));
    expect(error.code).toBe('NCCL_INVALID_ARGUMENT');
    expect(error.message).toContain('adoptMemory: the memory must be an object, such as a GPUBuffer; given ');
  });

  it("passes on the backend's error", async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 1, adopts: true }) });
    await expect(world.comm(0).adoptMemory({})).rejects.toThrow('not bytes');
  });
});
