import { medianOf } from '@nccl-ts/core';
import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import { expect, test } from 'vitest';
import { interleave } from '../src/interleave.ts';
import { allReduceKernel } from '../src/kernels/all-reduce-kernel.ts';
import { ringAllReduceKernel } from '../src/kernels/ring-all-reduce-kernel.ts';
import {
  allReduceOnHeap,
  allReduceOnViews,
  ringOnHeap,
  ringOnViews,
  type HandWritten,
} from '../src/peers/hand-written.ts';

const RANKS = 4;
const COUNT = 1024;

/** Thirds and fifths, whose sums are rounded. */
function initial(rank: number): Float32Array {
  return Float32Array.from({ length: COUNT }, (_, i) => i / 3 + rank / 5);
}

async function simulated(ring: boolean): Promise<readonly Float32Array[]> {
  await using world = await World.open({ backend: sim({ ranks: RANKS }) });
  return await world.run(async (comm) => {
    const win = await comm.allocWindow(f32, COUNT);
    await win.write(initial(comm.rank));
    const devComm = await comm.createDevComm({ lsaBarrierCount: 2 });
    const shape = { grid: 2, block: 64 };
    if (ring) await comm.launch(ringAllReduceKernel, shape, { comm: devComm, win, count: COUNT });
    else await comm.launch(allReduceKernel, shape, { comm: devComm, win, offset: 0, count: COUNT });
    return win.read();
  });
}

function handWritten(loop: HandWritten): readonly Float32Array[] {
  const stride = COUNT + 5;
  const heap = new Float32Array(RANKS * stride);
  const bases = Array.from({ length: RANKS }, (_, rank) => rank * stride);
  for (const [rank, base] of bases.entries()) heap.set(initial(rank), base);
  loop(heap, bases, COUNT);
  return bases.map((base) => heap.slice(base, base + COUNT));
}

test.each<readonly [string, boolean, HandWritten]>([
  ['AllReduce on the heap', false, allReduceOnHeap],
  ['AllReduce on views', false, allReduceOnViews],
  ['ring AllReduce on the heap', true, ringOnHeap],
  ['ring AllReduce on views', true, ringOnViews],
])("%s computes the kernel's results, bit by bit", async (_name, ring, loop) => {
  expect(handWritten(loop)).toEqual(await simulated(ring));
});

test('contenders alternate, and warm-up does not count', async () => {
  const calls: string[] = [];
  const contender = (name: string) => ({ name, run: () => void calls.push(name) });
  const samples = await interleave([contender('a'), contender('b')], 3, 1);
  expect(calls.join('')).toBe('abababab');
  expect(samples.map(({ name, ms }) => [name, ms.length])).toEqual([
    ['a', 3],
    ['b', 3],
  ]);
  expect(medianOf([1, 2, 9])).toBe(2);
});
