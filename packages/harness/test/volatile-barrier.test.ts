import { readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import type { CheckReport } from '@nccl-ts/findings';
import { array, harness, harnessProgram, ptr, struct, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const text = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const Peers = struct({ data: array(ptr, 2), flags: array(ptr, 2) });

function program(entry: string, edit: (ptx: string) => string, grid: number): ReturnType<typeof harnessProgram> {
  const launch = harness({
    entry,
    ranks: 2,
    grid,
    block: 2,
    launches: 3,
    setup({ rank, ranks, alloc, peer }) {
      const data = alloc('data', u32, 2, () => 10 * rank);
      const flags = alloc('flags', u32, 2, () => 0);
      const peers = Peers({ data: ranks.map((r) => peer(data, r)), flags: ranks.map((r) => peer(flags, r)) });
      return { args: (number) => [peers, rank, number] };
    },
  });
  const kernel = translate(launch, edit(text('volatile-barrier.ptx')), { name: 'volatile-barrier.ptx', source: text });
  return harnessProgram(launch, kernel);
}

const unchanged = (ptx: string): string => ptx;

const checked = (entry: string, edit = unchanged, strict = false): Promise<CheckReport> =>
  check({ ranks: 2, strict }, program(entry, edit, 1));

const told = ({ verdict, findings }: CheckReport): string =>
  [verdict, ...new Set(findings.map(({ severity, kind }) => `${severity} ${kind}`))].join(', ');

describe('a barrier between ranks with volatile flags and no fence', () => {
  it('orders data on GPUs, which PTX does not guarantee', async () => {
    const report = await checked('swap');
    expect(told(report)).toBe('clean, model race');
    for (const { message } of report.findings) expect(message).toContain('GPUs order them');
    expect(told(await checked('swap', undefined, true))).toBe('race, error race');
  });

  it.for(slow)(
    'orders nothing with relaxed flags, because compilers and GPUs may move accesses around them',
    async () => {
      const relaxed = (ptx: string): string =>
        ptx.replaceAll('ld.volatile', 'ld.relaxed.sys').replaceAll('st.volatile', 'st.relaxed.sys');
      expect(told(await checked('swap', relaxed))).toBe('race, error race');
    },
  );

  it.for(slow)('is reported as missing if a rank writes data that its peer may still read', async () => {
    expect(told(await checked('swapTooEarly'))).toMatch(/^race, error race/);
  });

  it.for(slow)('is judged in schedules, and not in a first run that cannot represent all', async () => {
    const swap = program('swap', unchanged, 2);
    let runs = 0;
    const before: number[] = [];
    const counted: typeof swap = async (backend) => {
      runs++;
      await swap(backend);
    };
    const { verdict } = await check({ ranks: 2, onPhase: () => before.push(runs) }, counted);
    expect([verdict, ...before.slice(0, 2)]).toEqual(['race', 0, 1]);
  });
});
