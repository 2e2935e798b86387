import { select, type SelectionQuery } from '@nccl-ts/collectives';
import { describe, expect, test } from 'vitest';

const query = {
  collective: 'allReduce',
  backend: 'webgpu',
  nRanks: 8,
  lsaSize: 8,
  element: 'f32',
  count: 1 << 24,
  op: 'sum',
} as const satisfies SelectionQuery;

/** Of so many ranks. */
const of = (nRanks: number): SelectionQuery => ({ ...query, nRanks, lsaSize: nRanks });

describe('on a GPU that ranks share', () => {
  test.each([
    [1, 256],
    [2, 256],
    [3, 170],
    [4, 128],
    [8, 64],
    [64, 8],
    [100, 8],
  ])('%i ranks launch %i CTAs each, to fill it together', (nRanks, ctas) => {
    expect(select(of(nRanks))).toMatchObject({ ctas, threads: 256 });
  });

  test('few bytes are one CTA, and each 32 KiB are another', () => {
    const ctasOf = (bytes: number): number => select({ ...query, count: bytes / 4 }).ctas;
    expect([4, 1 << 15, (1 << 15) + 4, 1 << 18].map(ctasOf)).toEqual([1, 1, 2, 8]);
  });

  test.each([
    ['allGather', 2, 128],
    ['allGather', 8, 32],
    ['broadcast', 4, 64],
    ['broadcast', 16, 32],
  ] as const)('%s on %i ranks, where each stores at all others, takes fewer: %i', (collective, nRanks, ctas) => {
    expect(select({ ...of(nRanks), collective, op: undefined })).toMatchObject({ ctas, threads: 256 });
  });

  test('a program for the CPU that stands in for it gets few threads', () => {
    expect(select({ ...query, software: true })).toMatchObject({ ctas: 8, threads: 64 });
    expect(select({ ...query, collective: 'allGather', op: undefined, software: true })).toMatchObject({ ctas: 8 });
  });
});
