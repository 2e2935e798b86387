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

  test('where only some share one, the others do not count', () => {
    expect(select({ ...query, ranksPerDevice: 2 })).toMatchObject({ ctas: 256 });
    // Of a communicator of fewer ranks no more can be there.
    expect(select({ ...of(2), ranksPerDevice: 8 })).toMatchObject({ ctas: 256 });
  });

  test('a program for the CPU that stands in for it gets few threads', () => {
    expect(select({ ...query, software: true })).toMatchObject({ ctas: 8, threads: 64 });
    expect(select({ ...query, collective: 'allGather', op: undefined, software: true })).toMatchObject({ ctas: 8 });
  });
});

describe('on NVIDIA GPUs', () => {
  const onCuda = { ...query, backend: 'cuda' } as const;

  test('a rank that has one to itself takes as many CTAs as are fast', () => {
    expect(select(onCuda)).toMatchObject({ algorithm: 'chunked', ctas: 128, threads: 512 });
    expect(select({ ...onCuda, ranksPerDevice: 1 })).toEqual(select(onCuda));
  });

  test.each([
    [2, 1 << 19],
    [4, 1 << 18],
    [8, 1 << 16],
  ])('%i ranks use flags for up to %i bytes', (nRanks, most) => {
    const algorithmOf = (bytes: number): string =>
      select({ ...of(nRanks), backend: 'cuda', collective: 'reduceScatter', count: bytes / 4 }).algorithm;
    expect([most, most + 4].map(algorithmOf)).toEqual(['ll', 'direct']);
  });

  test.each([
    [2, 1 << 23, 'chunked'],
    [4, 1 << 20, 'twoShot'],
    [8, 1 << 18, 'twoShot'],
  ] as const)('%i ranks use sentinels for up to %i bytes', (nRanks, most, otherwise) => {
    const selected = [most, most + 4].map((bytes) => select({ ...of(nRanks), backend: 'cuda', count: bytes / 4 }));
    expect(selected.map(({ algorithm }) => algorithm)).toEqual(['sentinel', otherwise]);
  });

  test('with sentinels each 16 bytes have a thread, as long as there are CTAs', () => {
    const ctasOf = (bytes: number): number => select({ ...of(2), backend: 'cuda', count: bytes / 4 }).ctas;
    expect([4, 1 << 12, (1 << 12) + 4, 1 << 20, 1 << 23].map(ctasOf)).toEqual([1, 1, 2, 256, 264]);
  });

  // All CTAs of all ranks wait for each other, so they must run side by side.
  test.each(['twoShot', 'oneShot', 'chunked', 'll', 'ring', 'sentinel'] as const)(
    'ranks that share one take 64 CTAs of 256 threads together, at most: %s',
    (algorithm) => {
      for (const ranksPerDevice of [2, 3, 8, 64, 100]) {
        const { ctas, threads } = select({ ...onCuda, ranksPerDevice }, undefined, algorithm);
        expect(ctas).toBeLessThanOrEqual(Math.max(1, 64 / ranksPerDevice));
        expect(threads).toBeLessThanOrEqual(256);
      }
    },
  );

  test('whatever rules ask for', () => {
    const rules = [{ collective: 'allReduce', algorithm: 'twoShot', ctas: 128, threads: 512 }] as const;
    expect(select({ ...onCuda, ranksPerDevice: 8 }, rules)).toMatchObject({ ctas: 8 });
  });
});
