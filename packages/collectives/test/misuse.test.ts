import {
  allGather,
  allReduce,
  allToAll,
  broadcast,
  explain,
  reduceScatter,
  recv,
  redOpCreatePreMulSum,
  setSelection,
} from '@nccl-ts/collectives';
import type { Communicator, Window } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { describe, expect, inject, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Values that only untyped JavaScript can pass. */
const nothing: Window<'f32'> = JSON.parse('{}');
const nine: RedOp = JSON.parse('9');

type Call = (comm: Communicator, a: Window<'f32'>, b: Window<'f32'>) => Promise<void>;

const misuses: readonly (readonly [what: string, call: Call, message: RegExp])[] = [
  ['a count below 0', async (comm, a, b) => allReduce(comm, a, b, -1, RedOp.Sum), /allReduce: count must be/],
  [
    'more elements than there are',
    async (comm, a, b) => allGather(comm, a, b, 9),
    /recv needs 18 elements of 4 bytes from byte 0 on; its window has 64/,
  ],
  ['a root that is no rank', async (comm, a, b) => broadcast(comm, a, b, 1, 2), /root must be an integer from 0 to 1/],
  [
    'no buffer',
    async (comm, a) => allReduce(comm, a, nothing, 1, RedOp.Sum),
    /recv must be a window or a symmetric pointer into one; given /,
  ],
  ['no operator', async (comm, a, b) => allReduce(comm, a, b, 1, nine), /op must be one of RedOp/],
  [
    'a place between elements',
    async (comm, a, b) => allReduce(comm, a.symPtr(2), b, 1, RedOp.Sum),
    /begins at byte 2, which is not a multiple of the 4/,
  ],
  [
    'types that differ',
    async (comm, a, b) => allReduce<'f32' | 'i32'>(comm, a, b.symPtr(0, 'i32'), 1, RedOp.Sum),
    /send has elements of type f32, recv of type i32/,
  ],
  [
    'a partial overlap',
    async (comm, a) => allReduce(comm, a, a.symPtr(4), 4, RedOp.Sum),
    /overlap; in place means that recv is send/,
  ],
  [
    'the wrong part',
    async (comm, a) => reduceScatter(comm, a, a.symPtr(16 * (1 - comm.rank)), 4, RedOp.Sum),
    /recv is part [01] of send/,
  ],
  [
    'an exchange in place',
    async (comm, a) => allToAll(comm, a, a, 4),
    /send and recv are the same memory, but the operation cannot be done in place/,
  ],
  [
    'an algorithm that it lacks',
    async (comm, a, b) => allToAll(comm, a, b, 4, { algorithm: 'ring' }),
    /there is no algorithm ring; there is direct, ll, ll128, hierarchical/,
  ],
  [
    'one shot in place',
    async (comm, a) => allReduce(comm, a, a, 4, RedOp.Sum, { algorithm: 'oneShot' }),
    /oneShot does not support this call: in place/,
  ],
  [
    'scalars without a barrier',
    async (comm, a, b) => allReduce(comm, a, b, 4, redOpCreatePreMulSum(2), { algorithm: 'll' }),
    /ll does not support this call: the receiver of a value/,
  ],
  ['a peer that is no rank', async (comm, a) => recv(comm, a, 4, 5), /recv: peer must be an integer from 0 to 1/],
];

describe('a wrong call fails before anything is enqueued', () => {
  test.each(misuses)('a wrong call fails before anything is enqueued: %s', async (_what, call, message) => {
    await inWorld(2, async (comm) => {
      const [a, b] = [await comm.allocWindow('f32', 16), await comm.allocWindow('f32', 16)];
      await expect(call(comm, a, b)).rejects.toThrow(message);
      // No signal or data is lost.
      await a.write(new Float32Array(16).fill(1));
      await allReduce(comm, a, b, 16, RedOp.Sum);
      expect((await b.read())[15]).toBe(2);
    });
  });
});

test.for(slow)('the selection can be read, and replaced', async () => {
  const texts = await inWorld(2, async (comm) => {
    const query = { collective: 'allReduce', element: 'f32', count: 1024, op: 'sum' } as const;
    const before = explain(comm, query);
    expect(() => setSelection(comm, [{ collective: 'allToAll', algorithm: 'ring' }])).toThrow(
      /allToAll has direct, ll, ll128, hierarchical, but no ring/,
    );
    setSelection(comm, [{ collective: 'allReduce', algorithm: 'ring', maxBytes: 4096 }]);
    const [a, b] = [await comm.allocWindow('f32', 2048), await comm.allocWindow('f32', 2048)];
    await allReduce(comm, a, b, 1024, RedOp.Sum);
    await expect(allReduce(comm, a, b, 2048, RedOp.Sum)).rejects.toMatchObject({ code: 'NCCLTS_NOT_SUPPORTED' });
    return [before, explain(comm, query)];
  });
  expect(texts[0]?.[0]).toMatch(/^allReduce of 1024 f32 \(4096 bytes\) on 2 ranks of sim:\n {2}twoShot, 1 CTAs/);
  expect(texts[0]?.[1]).toMatch(/\n {2}ring, 1 CTAs x 64 threads, by the rule allReduce: ring \(up to 4096 bytes\)\n/);
});
