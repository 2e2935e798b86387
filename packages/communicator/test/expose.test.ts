import { World } from '@nccl-ts/communicator';
import { u8 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { memoryBackend } from './memory-backend/memory-backend.ts';
import { rejection } from './rejection.ts';

describe('expose', () => {
  it("returns the backend's form, and only its own part of the memory for a window", async () => {
    const backend = memoryBackend({ ranks: 2, exposes: true });
    await using world = await World.open({ backend });
    const exposed = await world.run(async (comm) => {
      const memory = await comm.memAlloc(8192);
      const window = await comm.registerWindow(memory, { type: u8, offset: 4096, bytes: 100 });
      return [await memory.expose(), await window?.expose()];
    });
    expect(exposed[1]).toEqual([
      { kind: 'bytes', bytes: new Uint8Array(8192).fill(1) },
      { kind: 'bytes', bytes: new Uint8Array(100).fill(1) },
    ]);
    expect(backend.worlds[0]?.order.filter((call) => call.startsWith('expose 1'))).toEqual([
      'expose 1 0 8192',
      'expose 1 4096 100',
    ]);
  });

  it('fails if the backend cannot expose memory', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 1 }) });
    const memory = await world.comm(0).memAlloc(4096);
    const error = await rejection(memory.expose());
    expect(error.code).toBe('NCCLTS_NOT_SUPPORTED');
    expect(error.message).toMatchInlineSnapshot(
      `"expose: backend memory has no memory that a program could use; copy it with read()."`,
    );
  });

  it('refuses closed memory', async () => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 1, exposes: true }) });
    const memory = await world.comm(0).memAlloc(4096);
    const window = await world.comm(0).registerWindow(memory);
    await window?.close();
    expect((await rejection(window?.expose() ?? Promise.resolve())).code).toBe('NCCLTS_CLOSED');
    await memory.close();
    expect((await rejection(memory.expose())).code).toBe('NCCLTS_CLOSED');
  });
});
