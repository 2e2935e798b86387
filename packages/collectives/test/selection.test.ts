import { algorithmFacts, algorithmsOf, defaultSelection, select, type SelectionQuery } from '@nccl-ts/collectives';
import { describe, expect, test } from 'vitest';
import { selectPossible } from '../src/selection/select-possible.ts';

const query = {
  collective: 'allReduce',
  backend: 'webgpu',
  nRanks: 8,
  lsaSize: 8,
  element: 'f32',
  count: 1 << 24,
  op: 'sum',
} as const satisfies SelectionQuery;

/** A communicator with this many ranks. */
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
  ])('%i ranks launch %i CTAs each, which together fill the GPU', (nRanks, ctas) => {
    expect(select(of(nRanks))).toMatchObject({ ctas, threads: 256 });
  });

  test('small calls use one CTA, plus one for each 32 KiB', () => {
    const ctasOf = (bytes: number): number => select({ ...query, count: bytes / 4 }).ctas;
    expect([4, 1 << 15, (1 << 15) + 4, 1 << 18].map(ctasOf)).toEqual([1, 1, 2, 8]);
  });

  test.each([
    ['allGather', 2, 128],
    ['allGather', 8, 32],
    ['broadcast', 4, 64],
    ['broadcast', 16, 32],
  ] as const)(
    '%s on %i ranks uses fewer CTAs, because it stores to all other ranks: %i',
    (collective, nRanks, ctas) => {
      expect(select({ ...of(nRanks), collective, op: undefined })).toMatchObject({ ctas, threads: 256 });
    },
  );

  test('a rank counts only the ranks on its own GPU', () => {
    expect(select({ ...query, ranksPerDevice: 2 })).toMatchObject({ ctas: 256 });
    // A communicator of fewer ranks has no more of them on a GPU.
    expect(select({ ...of(2), ranksPerDevice: 8 })).toMatchObject({ ctas: 256 });
  });

  test('a software GPU uses few threads', () => {
    expect(select({ ...query, software: true })).toMatchObject({ ctas: 8, threads: 64 });
    expect(select({ ...query, collective: 'allGather', op: undefined, software: true })).toMatchObject({ ctas: 8 });
  });
});

describe('every algorithm, on every backend', () => {
  const algorithms = algorithmsOf.allReduce.map((algorithm) => [algorithm] as const);

  test.each(algorithms)('%s never uses fewer CTAs for more bytes, and never a CTA without work', (algorithm) => {
    for (const backend of ['sim', 'webgpu', 'cuda', 'another']) {
      const lsaSize = algorithmFacts[algorithm].spansDomains ? 4 : 8;
      const launches = [1, 7, 300, 1 << 12, 1 << 16, 1 << 20, 1 << 26].map((count) => {
        const { ctas } = select({ ...query, backend, lsaSize, count }, undefined, algorithm);
        expect(ctas).toBeLessThanOrEqual(count);
        return ctas;
      });
      expect(launches).toEqual(launches.toSorted((a, b) => a - b));
      expect(launches[0]).toBe(1);
    }
  });

  test.each(algorithms)('%s launches fewer CTAs per rank if ranks share a GPU', (algorithm) => {
    for (const backend of ['webgpu', 'cuda']) {
      const ctasOf = (ranksPerDevice: number): number =>
        select({ ...query, nRanks: 64, lsaSize: 64, backend, ranksPerDevice }, undefined, algorithm).ctas;
      const launches = [1, 2, 4, 8, 16, 32, 64].map(ctasOf);
      expect(launches).toEqual(launches.toSorted((a, b) => b - a));
      expect(launches.every((ctas) => ctas >= 1)).toBe(true);
    }
  });
});

describe('on NVIDIA GPUs', () => {
  const onCuda = { ...query, backend: 'cuda' } as const;

  test('a rank with its own GPU uses the fastest number of CTAs', () => {
    expect(select({ ...onCuda, nRanks: 2, lsaSize: 2 })).toMatchObject({
      algorithm: 'chunked',
      ctas: 128,
      threads: 512,
    });
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

  test('lines of 128 bytes are used only over NVLink, and only by ranks for which they were measured', () => {
    const algorithmsAt = (nRanks: number, nvlink?: boolean): readonly string[] =>
      [1 << 15, (1 << 16) + 4, 1 << 24, 1 << 27, (1 << 27) + 4].map((bytes) => {
        const asked = { ...of(nRanks), backend: 'cuda', collective: 'reduceScatter', count: bytes / 4 } as const;
        return select(nvlink === undefined ? asked : { ...asked, nvlink }).algorithm;
      });
    expect(algorithmsAt(2, true)).toEqual(['ll', 'll128', 'll128', 'll128', 'direct']);
    expect(algorithmsAt(4, true)).toEqual(['ll', 'll128', 'll128', 'direct', 'direct']);
    expect(algorithmsAt(8, true)).not.toContain('ll128');
    for (const nRanks of [2, 4]) expect(algorithmsAt(nRanks)).not.toContain('ll128');
    expect(algorithmsAt(2, false)).not.toContain('ll128');
    expect(select({ ...onCuda, nRanks: 2, lsaSize: 2, count: 1 << 10, nvlink: true }).algorithm).toBe('sentinel');
  });

  test.each([
    [2, 1 << 23, 'chunked'],
    [4, 1 << 19, 'twoShot'],
    [8, 1 << 18, 'twoShot'],
  ] as const)('%i ranks use sentinels for up to %i bytes, and then %s', (nRanks, most, otherwise) => {
    const selected = [1 << 10, 1 << 15, most, most + 4, 1 << 30].map(
      (bytes) => select({ ...of(nRanks), backend: 'cuda', count: bytes / 4 }).algorithm,
    );
    expect(selected).toEqual(['sentinel', 'sentinel', 'sentinel', otherwise, otherwise]);
  });

  test('with sentinels, each 16 bytes have their own thread while there are enough CTAs', () => {
    const launchOf = (bytes: number): readonly number[] => {
      const { ctas, threads } = select({ ...of(2), backend: 'cuda', count: bytes / 4 });
      return [ctas, threads];
    };
    expect([1 << 16, (1 << 16) + 4, 1 << 18, 1 << 20, 1 << 22].map(launchOf)).toEqual([
      [16, 256],
      [17, 256],
      [64, 256],
      [128, 512],
      [264, 256],
    ]);
  });

  test('a type without a spare value skips the sentinel rule', () => {
    const algorithmOf = (element: 'i32' | 'f32'): string => {
      const call = { ...of(2), backend: 'cuda', count: 1 << 16, element, inPlace: false };
      return selectPossible(call, defaultSelection).algorithm;
    };
    expect([algorithmOf('f32'), algorithmOf('i32')]).toEqual(['sentinel', 'll']);
  });

  // All CTAs of all ranks wait for each other, so they must all run at the same time.
  test.each(algorithmsOf.allReduce.filter((algorithm) => !algorithmFacts[algorithm].spansDomains))(
    'ranks that share a GPU use at most 64 CTAs of 256 threads together: %s',
    (algorithm) => {
      for (const ranksPerDevice of [2, 3, 8, 64, 100]) {
        const { ctas, threads } = select({ ...onCuda, ranksPerDevice }, undefined, algorithm);
        expect(ctas).toBeLessThanOrEqual(Math.max(1, 64 / ranksPerDevice));
        expect(threads).toBeLessThanOrEqual(256);
      }
    },
  );

  test('ranks that share a GPU keep that limit for every rule', () => {
    const rules = [{ collective: 'allReduce', algorithm: 'twoShot', ctas: 128, threads: 512 }] as const;
    expect(select({ ...onCuda, ranksPerDevice: 8 }, rules)).toMatchObject({ ctas: 8 });
  });
});
