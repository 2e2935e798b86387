import { World, type Communicator } from '@nccl-ts/communicator';
import { describe, expect, inject, test } from 'vitest';
import * as allToAll from '../kernels/all-to-all.ts';
import * as dotProduct from '../kernels/dot-product.ts';
import { hello } from '../kernels/hello.ts';
import * as ringAllReduce from '../kernels/ring-all-reduce.ts';
import { testedBackends, unlessThere } from './support/backends.ts';

/** With NCCLTS_EVERY_CASE set, worlds of more sizes. */
const all = inject('everyCase') ? [1, 2, 3, 5] : [1, 3];
/** The quick tests have one. */
const sizes = all.filter((ranks) => (ranks === 3) !== inject('slow'));

for (const { name, backend, lacks } of testedBackends) {
  describe.skipIf(lacks !== undefined)(`the kernels of the examples on ${name}${unlessThere(lacks)}`, () => {
    async function onRanks<T>(ranks: number, program: (comm: Communicator) => Promise<T>): Promise<readonly T[]> {
      await using world = await World.open({ backend: backend(ranks) });
      return await world.run(program);
    }

    test('hello', async () => {
      const printed = await onRanks(2, async (comm) => {
        await comm.launch(hello, { grid: 2, block: 64 }, { comm: await comm.createDevComm() });
        return (await comm.synchronize()).printed.map((line) => line.replace(/^\[.*?\] /, '')).sort();
      });
      expect(printed).toEqual([
        ['hello from CTA 0 of 2 on rank 0 of 2', 'hello from CTA 1 of 2 on rank 0 of 2'],
        ['hello from CTA 0 of 2 on rank 1 of 2', 'hello from CTA 1 of 2 on rank 1 of 2'],
      ]);
    });

    test.each(sizes)('ring AllReduce on %i ranks', async (ranks) => {
      const results = await onRanks(ranks, async (comm) => ringAllReduce.host(comm, { grid: 3, block: 48 }));
      const sum = (ranks * (ranks - 1)) / 2;
      const expected = Float32Array.from({ length: 1024 * ranks }, (_, i) => i * sum);
      expect(results).toEqual(Array.from({ length: ranks }, () => expected));
    });

    test.each(sizes)('all-to-all on %i ranks', async (ranks) => {
      const results = await onRanks(ranks, async (comm) => allToAll.host(comm, { grid: 2, block: 96 }));
      const expected = results.map((_, rank) =>
        Float32Array.from({ length: 1000 * ranks }, (__, i) => 10 * Math.floor(i / 1000) + rank),
      );
      expect(results).toEqual(expected);
    });

    test.each([32, 96, 1024].filter((block) => (block === 96) !== inject('slow')))(
      'dot products with %i threads each',
      async (block) => {
        const results = await onRanks(3, async (comm) => dotProduct.host(comm, { grid: 2, block }));
        expect(results).toEqual(Array.from({ length: 3 }, () => [44_850, 89_700]));
      },
    );
  });
}
