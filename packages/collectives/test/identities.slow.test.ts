import { allGather, allReduce, broadcast, reduce, reduceScatter } from '@nccl-ts/collectives';
import { RedOp } from '@nccl-ts/core';
import { expect, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

const ranks = 4;
const count = 64;
const mine = (rank: number, n: number): Float32Array =>
  Float32Array.from({ length: n }, (_, i) => Math.sin(i + 7 * rank));

test('AllReduce equals ReduceScatter followed by AllGather, bit for bit', async () => {
  const results = await inWorld(ranks, async (comm) => {
    const send = await comm.allocWindow('f32', count);
    const part = await comm.allocWindow('f32', count / ranks);
    const [once, twice] = [await comm.allocWindow('f32', count), await comm.allocWindow('f32', count)];
    await send.write(mine(comm.rank, count));
    await allReduce(comm, send, once, count, RedOp.Sum);
    await reduceScatter(comm, send, part, count / ranks, RedOp.Sum);
    await allGather(comm, part, twice, count / ranks);
    return { once: await once.read(), twice: await twice.read() };
  });
  for (const { once, twice } of results) expect(twice).toEqual(once);
  expect(results[0]?.once[5]).toBeCloseTo(Math.sin(5) + Math.sin(12) + Math.sin(19) + Math.sin(26), 5);
});

test('AllReduce equals Reduce followed by Broadcast, bit for bit', async () => {
  const results = await inWorld(ranks, async (comm) => {
    const send = await comm.allocWindow('f32', count);
    const [once, twice] = [await comm.allocWindow('f32', count), await comm.allocWindow('f32', count)];
    await send.write(mine(comm.rank, count));
    await allReduce(comm, send, once, count, RedOp.Prod);
    await reduce(comm, send, twice, count, RedOp.Prod, 2);
    await broadcast(comm, twice, twice, count, 2);
    return { once: await once.read(), twice: await twice.read() };
  });
  for (const { once, twice } of results) expect(twice).toEqual(once);
});
