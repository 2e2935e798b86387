import { readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import { renderReport, type CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, i32, translate, u64 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

const textOf = (name: string): string => readFileSync(new URL(`fixtures/calls/${name}`, import.meta.url), 'utf8');
const ptx = textOf('shmem-collectives.ptx');
const source = (path: string): string | undefined => (path.endsWith('.cu') ? textOf(path) : undefined);

/** The values of `out` and of `words` that a rank must have at the end. */
interface Expected {
  readonly out?: (rank: number, i: number) => number;
  readonly words?: (i: number) => bigint;
}

const PES = 3;
const mineOf = (rank: number, i: number): number => 100 * rank + i;

/** Checks an entry on 3 PEs, whose `mine` is `mineOf`. */
async function checked(entry: string, { out, words }: Expected, count: number): Promise<CheckReport> {
  const launch = harness({
    entry,
    ranks: PES,
    grid: 1,
    block: 32,
    launches: 1,
    setup({ rank, alloc }) {
      const mine = alloc('mine', i32, 64, (i) => mineOf(rank, i));
      const result = alloc('out', i32, 64);
      const flags = alloc('words', u64, 8);
      return {
        args: [mine, result, flags],
        expect: () => [
          ...(out === undefined ? [] : [result.equals((i) => out(rank, i), { count })]),
          ...(words === undefined || rank !== 0 ? [] : [flags.equals(words, { count: 2 })]),
        ],
      };
    },
  });
  const translated = translate(launch, ptx, { name: 'shmem-collectives.ptx', source });
  return check({ ranks: PES }, harnessProgram(launch, translated));
}

const sum = (of: (rank: number) => number): number =>
  Array.from({ length: PES }, (_, r) => of(r)).reduce((a, b) => a + b);

describe('a collective of NVSHMEM', () => {
  it('gives each PE its result, and the verdict names how it is modelled', async () => {
    const first = (rank: number, i: number): number => {
      if (i < 2) return mineOf(PES - 1, i);
      if (i < 8) return 0;
      if (i < 8 + 2 * PES) return mineOf((i - 8) >> 1, (i - 8) & 1);
      if (i < 16) return 0;
      return i < 16 + PES ? mineOf(i - 16, rank) : 0;
    };
    const report = await checked('byThread', { out: first }, 24);
    expect(renderReport(report)).toContain('a collective of NVSHMEM as a meeting of all its PEs');
    expect(report.verdict).toBe('clean');
  });

  it('reduces in place', async () => {
    const { verdict } = await checked('inPlace', { out: (_, i) => mineOf(PES - 1, i) }, 32);
    expect(verdict).toBe('clean');
  });

  it('reduces the part of each PE, by a warp', async () => {
    const part = (rank: number, i: number): number => sum((r) => mineOf(r, 4 * rank + i));
    expect((await checked('scattered', { out: part }, 4)).verdict).toBe('clean');
  });

  it('races with a put to its source that nothing orders before it', async () => {
    expect((await checked('tooEarly', {}, 0)).verdict).toBe('race');
  });
});

describe('words of NVSHMEM', () => {
  it('take the bits of all PEs, and words of one byte', async () => {
    const out = (rank: number, i: number): number => (i === 0 ? 1 : 7 + ((rank + PES - 1) % PES));
    const words = (i: number): bigint => (i === 0 ? 7n : 3n ^ 6n ^ 12n);
    const report = await checked('singleWords', { out, words }, 2);
    expect(renderReport(report)).toContain('clean');
  });
});
