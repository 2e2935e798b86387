import { sim } from '@nccl-ts/backend-sim';
import { expect, test } from 'vitest';
import { runAllReduce } from '../src/01-allreduce-lsa/run.ts';

test("prints the output of NCCL's example", async () => {
  const lines: string[] = [];
  const passed = await runAllReduce({
    backend: sim({ ranks: 4 }),
    count: 1_048_576,
    print: (line) => lines.push(line),
  });
  expect(passed).toBe(true);
  // From the README of NCCL's example.
  expect(`${lines.join('\n')}\n`).toBe(`Starting Device API AllReduce initialization
  Rank 0 using GPU device 0
  Rank 1 using GPU device 1
  Rank 2 using GPU device 2
  Rank 3 using GPU device 3
  Rank 0 initialized NCCL communicator for 4 total ranks
  Rank 1 initialized NCCL communicator for 4 total ranks
  Rank 2 initialized NCCL communicator for 4 total ranks
  Rank 3 initialized NCCL communicator for 4 total ranks
  Rank 0 initialized data with value 0
  Rank 1 initialized data with value 1
  Rank 2 initialized data with value 2
  Rank 3 initialized data with value 3
  Rank 0 created device communicator with 16 LSA barriers
  Rank 1 created device communicator with 16 LSA barriers
  Rank 2 created device communicator with 16 LSA barriers
  Rank 3 created device communicator with 16 LSA barriers
Starting AllReduce with 1048576 elements (4 MB) using Device API
Expected result: sum of ranks 0 to 3 = 6 per element
  Rank 0 completed AllReduce kernel execution
  Rank 1 completed AllReduce kernel execution
  Rank 2 completed AllReduce kernel execution
  Rank 3 completed AllReduce kernel execution
AllReduce completed. Result verification: PASSED
All elements correctly sum to 6 (ranks 0-3)
`);
});

test.each([1, 3, 8])('sums on %i ranks', async (ranks) => {
  const lines: string[] = [];
  const passed = await runAllReduce({ backend: sim({ ranks }), count: 10_007, print: (line) => lines.push(line) });
  expect(passed).toBe(true);
  expect(lines.at(-1)).toBe(`All elements correctly sum to ${(ranks * (ranks - 1)) / 2} (ranks 0-${ranks - 1})`);
});

test('reports wrong sums', async () => {
  // Ranks that cannot reach each other sum what they have.
  const lines: string[] = [];
  const backend = sim({ ranks: 4, lsaSize: 2 });
  expect(await runAllReduce({ backend, count: 100, print: (line) => lines.push(line) })).toBe(false);
  expect(lines.at(-1)).toBe('AllReduce completed. Result verification: FAILED');
});
