import { expect, test } from 'vitest';
import { backendShape } from '../src/backend-shape.ts';
import { rowExchangeRequirement } from '../src/fifo/row-exchange.ts';
import { normShape, type NormShape } from '../src/rms-norm/norm-shape.ts';

function onCuda(rows: number, hidden: number, lsaSize: number, ranksPerDevice = 1): NormShape {
  const backend = backendShape({ backend: 'cuda', nRanks: lsaSize, ranksPerDevice });
  return normShape({ rows, hidden, element: 'bf16', lsaSize }, backend);
}

function launchOf(...call: Parameters<typeof onCuda>): readonly number[] {
  const { ctas, threads, words, parts, rowsAtOnce } = onCuda(...call);
  return [ctas, threads, words, parts, rowsAtOnce];
}

test('a short row has a CTA of its own, with two words for each thread if there are many rows', () => {
  expect(launchOf(8, 4096, 2)).toEqual([8, 512, 1, 1, 1]);
  expect(launchOf(128, 4096, 2)).toEqual([128, 512, 1, 1, 1]);
  expect(launchOf(512, 2048, 2)).toEqual([264, 256, 1, 1, 2]);
  expect(launchOf(512, 4096, 2)).toEqual([264, 256, 2, 1, 2]);
  expect(launchOf(512, 4096, 8)).toEqual([132, 256, 2, 1, 1]);
  expect(launchOf(512, 100, 2, 4)).toEqual([16, 32, 1, 1, 4]);
});

test('several CTAs share a long row', () => {
  expect(launchOf(8, 8192, 2)).toEqual([32, 256, 1, 4, 1]);
  expect(launchOf(64, 8192, 2)).toEqual([256, 256, 1, 4, 1]);
  expect(launchOf(128, 8192, 2)).toEqual([256, 256, 2, 2, 1]);
  expect(launchOf(512, 8192, 2)).toEqual([264, 256, 2, 2, 4]);
  expect(launchOf(1, 16384, 8)).toEqual([8, 256, 1, 8, 1]);
});

test('the rows of a turn have room in the exchange, for each number of rows', () => {
  for (const lsaSize of [2, 4, 8]) {
    for (const hidden of [100, 2048, 4096, 8192, 14336, 16384]) {
      for (const rows of [1, 8, 64, 131, 133, 264, 4096]) {
        const { ctas, threads, words, parts, rowsAtOnce, turnWords, roomCtas } = onCuda(rows, hidden, lsaSize);
        expect(rowsAtOnce * words * threads).toBeLessThanOrEqual(turnWords);
        expect(8 * words * threads * parts).toBeGreaterThanOrEqual(hidden);
        expect(ctas % parts).toBe(0);
        expect(ctas).toBeLessThanOrEqual(roomCtas);
        expect(rowExchangeRequirement({ ctas: roomCtas, turnWords }, lsaSize).bufferSize).toBeLessThan(200e6);
      }
    }
  }
});

test('a row may have as many elements as its CTAs hold', () => {
  expect(launchOf(1, 32768, 8)).toEqual([8, 256, 2, 8, 1]);
  expect(() => onCuda(1, 32769, 8)).toThrow(/rows of 32769 bf16 because the CTAs of a row hold 32768 here/);
  expect(launchOf(1, 16384, 2, 2)).toEqual([1, 256, 8, 1, 1]);
  expect(() => onCuda(1, 16385, 2, 2)).toThrow(/because the CTAs of a row hold 16384 here/);
});
