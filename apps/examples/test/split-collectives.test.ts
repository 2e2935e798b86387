import { sim } from '@nccl-ts/backend-sim';
import { allReduce, allGather } from '@nccl-ts/collectives';
import { World, type Communicator } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { f32 } from '@nccl-ts/kernel';
import { expect, test } from 'vitest';

const count = 7;

/** The sum of the numbers over the communicator, and its members. */
async function meet(comm: Communicator, value: number): Promise<readonly number[]> {
  const send = await comm.allocWindow(f32, count);
  const sum = await comm.allocWindow(f32, count);
  const all = await comm.allocWindow(f32, count * comm.nRanks);
  await send.write(new Float32Array(count).fill(value));
  await allReduce(comm, send, sum, count, RedOp.Sum);
  await allGather(comm, send, all, count);
  const values = (await all.read()).filter((_, i) => i % count === 0);
  return [(await sum.read()).at(-1) ?? Number.NaN, ...values];
}

test('collectives use the ranks of their communicator', async () => {
  const backend = sim({ ranks: 6, mode: 'check' });
  await using world = await World.open({ backend });
  const results = await world.run(async (comm) => {
    const half = await comm.split(comm.rank % 2, -comm.rank);
    const first = await meet(half, comm.rank);
    const rest = comm.rank === 0 ? undefined : await meet(await comm.shrink([0]), comm.rank);
    return [first, rest, await meet(comm, comm.rank)];
  });
  const [even, odd] = [
    [6, 4, 2, 0],
    [9, 5, 3, 1],
  ];
  const whole = [15, 0, 1, 2, 3, 4, 5];
  expect(results).toEqual(
    results.map((_, rank) => [rank % 2 === 0 ? even : odd, rank === 0 ? undefined : [15, 1, 2, 3, 4, 5], whole]),
  );
  expect(backend.report().verdict).toBe('clean');
});
