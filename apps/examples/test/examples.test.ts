import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { expect, inject, test } from 'vitest';
import { runAllToAllGin } from '../src/03-alltoall-gin/run.ts';
import { runAllToAllHybrid } from '../src/04-alltoall-hybrid/run.ts';
import { unmetNeeds } from '../src/example.ts';
import { examples } from '../src/examples.ts';
import { parseStartOptions } from '../src/start-options.ts';
import { firstMismatch, printVerdict } from '../src/verify.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The quick tests have one. */
const isNow = ({ name }: { readonly name: string }): boolean => (name === '03-alltoall-gin') !== inject('slow');

test.each(examples.filter(isNow))('$name at full size', { timeout: 60_000 }, async ({ full }) => {
  const lines: string[] = [];
  const backend = sim({ ranks: 4, lsaSize: 2, multimem: true });
  expect(await full({ backend, print: (line) => lines.push(line) })).toBe(true);
  expect(lines.at(-1)).toBe('Verification: PASSED');
});

test.for(slow)("examples print each rank's work", async () => {
  const lines: string[] = [];
  const options = { backend: sim({ ranks: 4, lsaSize: 2 }), print: (line: string) => lines.push(line) };
  await runAllToAllHybrid({ ...options, count: 5, rounds: 2, ctas: 2, threads: 32 });
  expect(lines).toEqual([
    'All-to-all by stores within a domain, through the network (GIN) across domains',
    '  4 ranks, 5 floats from each to each, 2 CTAs of 32 threads, rounds: 2',
    '  Rank 0 stored to 2 ranks, itself among them, and put to 2',
    '  Rank 1 stored to 2 ranks, itself among them, and put to 2',
    '  Rank 2 stored to 2 ranks, itself among them, and put to 2',
    '  Rank 3 stored to 2 ranks, itself among them, and put to 2',
    'Verification: PASSED',
  ]);
});

test.for(slow)('examples report a barrier with too few ranks', async () => {
  const options = { backend: sim({ ranks: 4, lsaSize: 1 }), print: () => {} };
  await expect(runAllToAllGin({ ...options, count: 5, rounds: 1, ctas: 1, threads: 2 })).rejects.toThrow(
    /a GIN barrier of 4 ranks takes 3 threads, and this group has 2: /,
  );
});

test('examples name missing features of a backend before they run', async () => {
  await using without = await World.open({
    backend: sim({ ranks: 2, multimem: false, gin: { connection: 'none' } }),
  });
  const unmet = (name: string) =>
    unmetNeeds(examples.find((example) => example.name === name) ?? { needs: [] }, without.comm(0).properties);
  expect(unmet('05-rmsnorm-lsa')).toEqual([]);
  expect(unmet('05-rmsnorm-gin')).toEqual(['gin']);
  expect(unmet('06-allreduce-one-shot')).toEqual(['multimem']);
  await using domains = await World.open({ backend: sim({ ranks: 4, lsaSize: 2 }) });
  expect(unmetNeeds({ needs: ['single domain'] }, domains.comm(0).properties)).toEqual(['single domain']);
  expect(unmetNeeds({ needs: ['single domain'] }, without.comm(0).properties)).toEqual([]);
});

test('examples report mismatches', () => {
  expect(firstMismatch([1, 2], [1, 2])).toBeUndefined();
  expect(firstMismatch([1, 2], [1, 3])).toEqual({ index: 1, got: 2, expected: 3 });
  expect(firstMismatch([1], [1, 3])).toEqual({ index: 1, got: Number.NaN, expected: 3 });
  expect(firstMismatch([Number.NaN], [1], { absolute: 9, relative: 9 })).toMatchObject({ index: 0 });
  expect(firstMismatch([100.01], [100], { absolute: 0, relative: 1e-3 })).toBeUndefined();
  expect(firstMismatch([0.01], [0], { absolute: 0.1, relative: 0 })).toBeUndefined();
  const lines: string[] = [];
  expect(printVerdict([undefined, { index: 7, got: 1, expected: 2 }], (line) => lines.push(line))).toBe(false);
  expect(lines).toEqual(['  Rank 1: element 7 is 1, but should be 2', 'Verification: FAILED']);
});

test('the command line of examples is parsed', () => {
  expect(parseStartOptions([])).toEqual({ backend: 'sim', names: [], ranks: undefined, lsaSize: undefined });
  expect(parseStartOptions(['03', '--ranks', '8', '--lsa-size', '2'])).toEqual({
    backend: 'sim',
    names: ['03'],
    ranks: 8,
    lsaSize: 2,
  });
  expect(parseStartOptions(['09', '12-symmetric-memory-allgather'])).toMatchObject({
    backend: 'sim',
    ranks: undefined,
  });
  expect(parseStartOptions(['--help'])).toBeUndefined();
  expect(() => parseStartOptions(['--ranks', '0'])).toThrow('--ranks 0');
  expect(() => parseStartOptions(['--backend', 'metal'])).toThrow('no such backend');
  expect(() => parseStartOptions(['99'])).toThrow('99: there is no such example');
});
