import { check } from '@nccl-ts/checker';
import { allReduce, allToAll, group, setSelection } from '@nccl-ts/collectives';
import { World, type Communicator } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, inject, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const options = { algorithm: 'll128' } as const;

test('lines of many turns of different lengths are told apart without a barrier', async () => {
  // Up to 6 turns of a call, and turns in which the last warp has only some elements or none.
  const lengths = [1, 5000, 3, 480, 481, 1, 1, 2881];
  const results = await inWorld(3, async (comm) => {
    const window = await comm.allocWindow('i32', 5000);
    const found: number[][] = [];
    for (const [round, n] of lengths.entries()) {
      await window.write(Int32Array.from({ length: 5000 }, (_, i) => i + 7 * comm.rank + 1000 * round));
      await allReduce(comm, window, window, n, RedOp.Sum, options);
      const values = await window.read();
      const wrong = values.slice(0, n).findIndex((value, i) => value !== 3 * i + 21 + 3000 * round);
      found.push([wrong, values[n] ?? 0]);
    }
    return found;
  });
  results.forEach((found, rank) => {
    expect(found).toEqual(lengths.map((n, round) => [-1, n === 5000 ? 0 : n + 7 * rank + 1000 * round]));
  });
});

test.for(slow)('calls of a group and later launches continue with the turns of a CTA', async () => {
  const left = await inWorld(2, async (comm) => {
    const [a, b] = [await comm.allocWindow('u8', 4002), await comm.allocWindow('u8', 4002)];
    const mine = (call: number, i: number, rank = comm.rank): number => (7 * i + 3 * rank + call) % 251;
    const wrong: number[] = [];
    for (let call = 0; call < 3; call++) {
      await a.write(Uint8Array.from({ length: 4002 }, (_, i) => mine(call, i)));
      await group(comm, async () => {
        await allToAll(comm, a, b, 1000, options);
        await allToAll(comm, a.symPtr(2000), b.symPtr(2000), 1001, options);
      });
      const values = await b.read();
      // Two calls, each with a part of each rank.
      const from = (i: number): number => Math.floor((i % 2000) / (i < 2000 ? 1000 : 1001)) % 2;
      const place = (i: number): number =>
        i - from(i) * (i < 2000 ? 1000 : 1001) + comm.rank * (i < 2000 ? 1000 : 1001);
      wrong.push(values.slice(0, 4000).findIndex((value, i) => value !== mine(call, place(i), from(i))));
    }
    return wrong;
  });
  expect(left).toEqual([
    [-1, -1, -1],
    [-1, -1, -1],
  ]);
});

const isSum = kernel(
  { name: 'isSum', use: { lsa }, params: { win: window, n: u32, first: u32 } },
  ({ lsa, threadIdx, blockDim, f32, assert }, { win, n, first }) => {
    const sums = lsa.localPointer(win, f32, 0);
    for (let i = threadIdx.x; i < n; i += blockDim.x) assert(sums.load(i) === f32(2 * (first + i) + 1), 'a wrong sum');
  },
);

/** Sums by one warp, whose results a kernel checks. A turn has room for 720 elements. */
async function sumAll(comm: Communicator, counts: readonly number[]): Promise<void> {
  setSelection(comm, [{ collective: 'allReduce', algorithm: 'll128', threads: 32 }]);
  const size = counts.reduce((sum, count) => sum + count, 0);
  const [from, to] = [await comm.allocWindow('f32', size), await comm.allocWindow('f32', size)];
  await from.write(Float32Array.from({ length: size }, (_, i) => i + comm.rank));
  let first = 0;
  for (const n of counts) {
    await allReduce(comm, from.symPtr(4 * first), to, n, RedOp.Sum);
    await comm.launch(isSum, { grid: 1, block: 32 }, { win: to, n, first });
    first += n;
  }
  await comm.synchronize();
}

// On GPUs each warp votes; elsewhere the CTA waits, and loads again. A check takes long if many
// votes fail, so only the slow tests have it.
test.each(
  (
    [
      ['sim', [900, 500]],
      ['cuda', [300]],
    ] as const
  ).filter(() => inject('slow')),
)('check says that it relies on whole lines, with the kernels for %s', { timeout: 60_000 }, async (backend, counts) => {
  const report = await check({ ranks: 2, strategy: 'late', schedules: 3 }, async (given) => {
    const capabilities = { ...given.capabilities, backend };
    await using world = await World.open({ backend: { ...given, capabilities } });
    await world.run(async (comm) => sumAll(comm, counts));
  });
  const told = report.findings.map(({ severity, kind }) => `${severity} ${kind}`);
  expect([report.verdict, ...new Set(told)]).toEqual(['clean', 'model fault']);
  for (const { message } of report.findings) expect(message).toContain('an aligned line of 128 bytes arrives whole');
});
