import { group, recv, send, type BufferPointer } from '@nccl-ts/collectives';
import type { RankBuffers } from './contender.ts';

/** Every rank sends to the next rank, and receives from the previous one. */
export async function sendRecv({ comm, send: from, recv: to }: RankBuffers, count: number): Promise<void> {
  const { rank, nRanks } = comm;
  await group(comm, async () => {
    await send(comm, from, count, (rank + 1) % nRanks);
    await recv(comm, to, count, (rank - 1 + nRanks) % nRanks);
  });
}

/**
 * An AllGather in log2(nRanks) steps. In each step, a rank exchanges all its data with the rank
 * whose number differs in one bit, from the lowest bit up. The number of ranks is a power of 2.
 */
export async function hypercube({ comm, send: from, recv: to }: RankBuffers, count: number): Promise<void> {
  const { rank, nRanks } = comm;
  const part = (first: number): BufferPointer => to.add(first * count);
  const own = part(rank);
  if (own.window !== from.window || own.offset !== from.offset) {
    // Only kernels can copy on the device, so the rank sends its part to itself.
    await group(comm, async () => {
      await send(comm, from, count, rank);
      await recv(comm, own, count, rank);
    });
  }
  for (let bit = 1; bit < nRanks; bit *= 2) {
    const has = rank - (rank % bit);
    const gets = Math.floor(has / bit) % 2 === 0 ? has + bit : has - bit;
    const peer = rank + gets - has;
    await group(comm, async () => {
      await send(comm, part(has), count * bit, peer);
      await recv(comm, part(gets), count * bit, peer);
    });
  }
}

/**
 * Every rank sends `chunks[d]` elements to the rank `d` positions further on. The chunks for rank 0
 * and from rank 0 come first in the buffers.
 */
export async function allToAllv({ comm, send: from, recv: to }: RankBuffers, chunks: readonly number[]): Promise<void> {
  const { rank, nRanks } = comm;
  await group(comm, async () => {
    let [sent, received] = [0, 0];
    for (let peer = 0; peer < nRanks; peer++) {
      const sends = chunks[(peer - rank + nRanks) % nRanks] ?? 0;
      const receives = chunks[(rank - peer + nRanks) % nRanks] ?? 0;
      if (sends > 0) await send(comm, from.add(sent), sends, peer);
      if (receives > 0) await recv(comm, to.add(received), receives, peer);
      sent += sends;
      received += receives;
    }
  });
}
