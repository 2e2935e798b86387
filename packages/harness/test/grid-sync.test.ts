import { existsSync, readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import type { CheckReport } from '@nccl-ts/findings';
import { array, harness, harnessProgram, ptr, struct, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const fixture = (name: string): URL => new URL(`fixtures/${name}`, import.meta.url);
const Peers = struct({ data: array(ptr, 2), flags: array(ptr, 2) });
const block = 4;

async function checked({ grid = 2, edit = (ptx: string): string => ptx } = {}): Promise<CheckReport> {
  const count = grid * block;
  const launch = harness({
    entry: 'exchange',
    ranks: 2,
    grid,
    block,
    launches: 2,
    setup({ rank, ranks, alloc, peer }) {
      const data = alloc('data', u32, 2 * count);
      const flags = alloc('flags', u32, 1);
      const out = alloc('out', u32, count);
      const peers = Peers({ data: ranks.map((r) => peer(data, r)), flags: ranks.map((r) => peer(flags, r)) });
      return {
        args: (number) => [peers, out, count, rank, number + 1],
        expect: () => out.equals((i) => 100 * (1 - rank) + i),
      };
    },
  });
  const kernel = translate(launch, edit(readFileSync(fixture('grid-sync.ptx'), 'utf8')), {
    name: 'grid-sync.ptx',
    source: (path) => (existsSync(fixture(path)) ? readFileSync(fixture(path), 'utf8') : undefined),
  });
  return check({ ranks: 2, strategy: 'late', schedules: 4 }, harnessProgram(launch, kernel));
}

describe('grid.sync() of cooperative groups', () => {
  it('orders the blocks of a rank in each launch', async () => {
    const { verdict, findings } = await checked();
    expect([verdict, ...findings.map(({ message }) => message)]).toEqual(['clean']);
  });

  it.for(slow)('is reported as missing if its barrier does not release', async () => {
    const { findings } = await checked({
      edit: (ptx) => ptx.replaceAll('atom.add.release.gpu', 'atom.add.relaxed.gpu'),
    });
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['race']));
  });

  it('needs a cooperative launch, which is refused if the grid does not fit on the GPU', async () => {
    await expect(checked({ grid: 200 })).rejects.toThrow(/cannot launch 200 CTAs cooperatively/);
  });
});
