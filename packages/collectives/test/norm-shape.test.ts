import { expect, test } from 'vitest';
import { backendShape } from '../src/backend-shape.ts';
import { normShape } from '../src/rms-norm/norm-shape.ts';

function onCuda(rows: number, hidden: number, lsaSize: number, ranksPerDevice = 1) {
  const backend = backendShape({ backend: 'cuda', nRanks: lsaSize, ranksPerDevice });
  const { ctas, threads, words } = normShape({ rows, hidden, element: 'bf16', lsaSize }, backend);
  return [ctas, threads, words];
}

test('a launch on CUDA has a CTA for each row, and as many threads as the registers allow', () => {
  expect(onCuda(8, 4096, 2)).toEqual([8, 512, 1]);
  expect(onCuda(512, 2048, 2)).toEqual([264, 256, 1]);
  expect(onCuda(512, 4096, 2)).toEqual([132, 512, 1]);
  expect(onCuda(512, 8192, 2)).toEqual([132, 256, 4]);
  expect(onCuda(512, 4096, 8)).toEqual([132, 256, 2]);
  expect(onCuda(512, 100, 2, 4)).toEqual([16, 32, 1]);
});

test('a row may have up to 16384 elements of 16 bits', () => {
  expect(onCuda(1, 16384, 8)).toEqual([1, 256, 8]);
  expect(() => onCuda(1, 16385, 8)).toThrow(/rows of 16385 bf16 because a CTA holds 16384 here/);
});
