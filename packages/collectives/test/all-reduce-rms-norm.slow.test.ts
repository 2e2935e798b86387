import { allReduceRMSNorm } from '@nccl-ts/collectives';
import type { Window } from '@nccl-ts/communicator';
import { roundToBf16 } from '@nccl-ts/core';
import { expect, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

/** Elements that differ from row to row. */
function numbers(seed: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => (((i * 37 + seed * 61) % 199) - 99) / 64);
}

test('calls of different lengths follow each other without a barrier, also in place', async () => {
  await inWorld(2, async (comm) => {
    for (const hidden of [77, 512, 8, 77]) {
      const count = 11 * hidden;
      const window = async (): Promise<Window<'bf16'>> => comm.allocWindow('bf16', count);
      const [send, residual, out, residualOut] = [await window(), await window(), await window(), await window()];
      await send.write(numbers(comm.rank, count));
      await residual.write(numbers(9, count));
      const sizes = { rows: 11, hidden };
      await allReduceRMSNorm(comm, { send, residual, out, residualOut, ...sizes });
      await allReduceRMSNorm(comm, { send, residual, out: send, ...sizes });
      expect(await send.read()).toEqual(await out.read());
      expect(await residual.read()).toEqual(await residualOut.read());
      const [first = NaN] = numbers(0, 1);
      expect((await residualOut.read())[0]).toBe(
        roundToBf16(first + (numbers(1, 1)[0] ?? NaN) + (numbers(9, 1)[0] ?? NaN)),
      );
    }
  });
});
