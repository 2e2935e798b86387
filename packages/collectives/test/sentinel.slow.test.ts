import { sim } from '@nccl-ts/backend-sim';
import { allReduce, setSelection } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { expect, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

const options = { algorithm: 'sentinel' } as const;

test('sentinel runs many rounds of different lengths without a barrier', async () => {
  const lengths = [1, 5000, 3, 1024, 2048, 1, 1, 1, 1025];
  const results = await inWorld(4, async (comm) => {
    const window = await comm.allocWindow('f32', 5000);
    const found: number[][] = [];
    for (const [round, n] of lengths.entries()) {
      await window.write(new Float32Array(5000).fill(comm.rank + 10 * round));
      await allReduce(comm, window, window, n, RedOp.Sum, options);
      const values = await window.read();
      found.push([values[0] ?? 0, values[n - 1] ?? 0, values[n] ?? 0]);
    }
    return found;
  });
  results.forEach((found, rank) => {
    expect(found).toEqual(
      lengths.map((n, round) => [6 + 40 * round, 6 + 40 * round, n === 5000 ? 0 : rank + 10 * round]),
    );
  });
});

test('sentinel passes check mode over many rounds of one warp', { timeout: 60_000 }, async () => {
  const backend = sim({ ranks: 2, mode: 'check', seed: 1 });
  {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      setSelection(comm, [{ collective: 'allReduce', algorithm: 'sentinel', threads: 32 }]);
      const count = 4 * 1024 + 79;
      const [from, to] = [await comm.allocWindow('f32', count), await comm.allocWindow('f32', count)];
      await from.write(new Float32Array(count).fill(1));
      await allReduce(comm, from, to, count, RedOp.Sum);
      await comm.synchronize();
    });
  }
  expect(backend.report().verdict).toBe('clean');
});
