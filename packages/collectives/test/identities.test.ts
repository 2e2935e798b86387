import { allGather, broadcast, gather } from '@nccl-ts/collectives';
import { expect, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

const ranks = 4;
const count = 64;
const mine = (rank: number, n: number): Float32Array =>
  Float32Array.from({ length: n }, (_, i) => Math.sin(i + 7 * rank));

test('AllGather equals Gather followed by Broadcast', async () => {
  const results = await inWorld(ranks, async (comm) => {
    const send = await comm.allocWindow('f32', count);
    const [once, twice] = [await comm.allocWindow('f32', count * ranks), await comm.allocWindow('f32', count * ranks)];
    await send.write(mine(comm.rank, count));
    await allGather(comm, send, once, count);
    await gather(comm, send, twice, count, 1);
    await broadcast(comm, twice, twice, count * ranks, 1);
    return { once: await once.read(), twice: await twice.read() };
  });
  for (const { once, twice } of results) expect(twice).toEqual(once);
  expect([...(results[3]?.once ?? [])].slice(count * 2, count * 3)).toEqual([...mine(2, count)]);
});
