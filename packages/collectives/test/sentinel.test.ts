import { allReduce } from '@nccl-ts/collectives';
import { RedOp } from '@nccl-ts/core';
import { expect, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

const options = { algorithm: 'sentinel' } as const;

test('sentinel replaces data that equal the sentinel by another NaN, and does not wait for them', async () => {
  const sums = await inWorld(3, async (comm) => {
    const window = await comm.allocWindow('f32', 5);
    await window.write(
      Uint8Array.from(new Uint8Array(Uint32Array.of(0x3f800000, 0xfffafffa, 0, 0x3f800000, 0).buffer)),
    );
    await allReduce(comm, window, window, 5, RedOp.Sum, options);
    return window.read();
  });
  for (const sum of sums) expect([...sum]).toEqual([3, Number.NaN, 0, 3, 0]);
});

test('sentinel refuses types without a spare NaN', async () => {
  await inWorld(2, async (comm) => {
    const window = await comm.allocWindow('i32', 4);
    await expect(allReduce(comm, window, window, 4, RedOp.Sum, options)).rejects.toThrow(
      /sentinel does not support this call: every i32 is a separate value/,
    );
  });
});
