import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkFigures } from '../../src/figures/check-figures.ts';
import {
  unsourcedClaims,
  unsourcedClaimsOfComments,
  unsourcedTables,
  withTables,
} from '../../src/figures/readme-tables.ts';
import { JsonValue } from '../../src/figures/json-value.ts';
import { Repository } from '../../src/figures/repository.ts';
import { measuredPaths, missingIn } from '../../src/figures/results-files.ts';
import { shortResults } from '../../src/figures/short-results.ts';
import { machineText, writeResults } from '../../src/write-results.ts';

const repository = new Repository(fileURLToPath(new URL('../../../..', import.meta.url)));

const results = JSON.stringify({
  rows: [
    {
      program: 'racy sum',
      verdict: 'race',
      seconds: { median: 1.25, all: [1.25] },
      mebibytes: 99.6,
      bar: 5,
    },
  ],
});
const table = [
  '<!-- figures: racy apps/x/results/racy.json -->',
  '',
  '| program | verdict | until the first report, median | bar | memory |',
  '|---|---|---|---|---|',
  '| racy sum | race | 1.3 s | 5 s | 100 MiB |',
  '',
  '<!-- end of figures -->',
].join('\n');

describe('a table of a README', () => {
  it('is written from its file, and corrected after a change of a figure', () => {
    const read = (path: string): string => (path === 'apps/x/results/racy.json' ? results : '{}');
    expect(withTables(`# X\n\n${table}\n\nText.\n`, read)).toBe(`# X\n\n${table}\n\nText.\n`);
    expect(withTables(table.replace('1.3 s', '0.3 s'), read)).toBe(table);
    expect(withTables('<!-- figures: racy apps/x/results/racy.json -->\n<!-- end of figures -->', read)).toBe(table);
  });

  it('with emitted kernels and a bandwidth has a row for each measurement', () => {
    const made = (maker: string, value: object): string =>
      withTables(`<!-- figures: ${maker} x.json -->\n<!-- end of figures -->`, () => JSON.stringify(value));
    const graph = {
      part: 'graph',
      ranks: 2,
      bytes: 1024,
      emittedUs: 6.81,
      handWrittenUs: 6.68,
      ncclAllReduceUs: 9.8,
      ratio: 1.019,
    };
    expect(
      made('emitted-kernel', { findings: [{ part: 'start' }, graph, { part: 'graph', nccl: 'failed' }] }),
    ).toContain('|---|---|---|---|\n| 1 KiB | 2 | 6.8 / 6.7 us = 1.019 | 9.8 us |\n\n');
    const rate = {
      allReduce: 'vector',
      grid: 256,
      block: 512,
      microseconds: 354.4,
      gbPerSecond: 3034.2,
      ratio: 0.7594,
    };
    expect(made('kernel-beside-copy', { checked: { rows: [rate] }, unchecked: { rows: [] } })).toContain(
      '| 16 bytes at a time | 256 x 512 | 354 us, 3034 GB/s | 0.76 |  |  |\n\n',
    );
  });

  it('with times of the Python package has milliseconds below a second, and verdicts where there are some', () => {
    const times = (median: number): object => ({ seconds: { median, all: [] }, cpu: { median: 2 * median, all: [] } });
    const rows = [
      { what: 'import', bar: 0.05, ...times(0.0031) },
      { what: 'mutant', bar: 2, verdict: 'race', ...times(1.26) },
    ];
    const made = withTables('<!-- figures: python-times x.json -->\n<!-- end of figures -->', () =>
      JSON.stringify({ rows }),
    );
    expect(made).toContain('| import | 3 ms | 6 ms | 0.05 s |  |\n| mutant | 1.3 s | 2.5 s | 2 s | race |\n\n');
  });

  it('with public launchers has both lines of an error, and the verdict once it is mended', () => {
    const one = { repository: 'a/b', launcher: 'gemm', cpu: 1.2 };
    const race = [
      'error',
      'race',
      [
        ['gemm.py', 77],
        ['gemm.py', 91],
      ],
    ];
    const note = ['note', 'race', [['gemm.py', 1]]];
    const rows = [
      { ...one, ranks: 2, mended: false, verdict: 'race', findings: [race, note] },
      { ...one, ranks: 4, mended: false, verdict: 'race', findings: [race], cpu: 3.4 },
      { ...one, ranks: 2, mended: true, verdict: 'clean', findings: [] },
    ];
    const made = withTables('<!-- figures: python-launchers x.json -->\n<!-- end of figures -->', () =>
      JSON.stringify({ rows }),
    );
    expect(made).toContain('| a/b gemm | race | race | gemm.py:77 and gemm.py:91 | clean | 3.4 s |\n\n');
  });

  it('with an unknown maker, or of a file without the field, is an error', () => {
    expect(() => withTables(table.replace('figures: racy', 'figures: rapid'), () => results)).toThrow(
      'no table is called rapid: beside-nccl',
    );
    expect(() => withTables(table, () => '{}')).toThrow('apps/x/results/racy.json.rows is not a list');
  });

  it('that quotes figures requires a file', () => {
    expect(unsourcedTables(`${table}\n`)).toEqual([]);
    expect(unsourcedTables('| kernel | time |\n|---|---|\n| sum | 17.5 ms |\n')).toEqual(['| kernel | time |']);
    expect(unsourcedTables('| sum | 1.15 | 0.97 |\n| max | 1.08 | 1.00 |\n')).toEqual(['| sum | 1.15 | 0.97 |']);
    // Versions, defaults and examples are no figures.
    expect(unsourcedTables('| NCCL | from 2.28 to 2.30 |\n| `seed` | 1 |\n')).toEqual([]);
    expect(unsourcedTables('```\n| took | 3 ms |\n```\n')).toEqual([]);
  });
});

describe('the kept part of a run of cases', () => {
  const head = { commit: '0123abc', command: 'x', date: '2026-11-26', machine: 'two GPUs' };
  const run = (name: string, others: object): object => ({
    case: name,
    ranks: 2,
    lsaSize: 2,
    variant: 'plain',
    ...others,
  });

  it('has the verdicts by case and shape, and the reasons of omitted cases', () => {
    const raw = {
      ...head,
      summary: { counts: { pass: 3, unsupported: 1 } },
      results: [
        { verdict: run('b/two', { verdict: 'pass' }) },
        { verdict: run('a/one', { verdict: 'pass', lsaSize: 1, variant: 'recorded' }) },
        { verdict: run('a/one', { verdict: 'pass' }) },
        { verdict: run('c/three', { verdict: 'unsupported', reason: 'lacks multimem' }) },
      ],
    };
    const short = shortResults(new JsonValue(raw, 'conformance.json'));
    expect(short).toEqual({
      ...head,
      summary: raw.summary,
      verdicts: {
        'a/one': { '2 ranks in domains of 1, recorded': 'pass', '2 ranks': 'pass' },
        'b/two': { '2 ranks': 'pass' },
      },
      unsupported: { 'lacks multimem': ['c/three'] },
    });
    const made = withTables('<!-- figures: conformance results/c.json -->\n<!-- end of figures -->', () =>
      JSON.stringify(short),
    );
    expect(made).toContain('| `results/c.json` | 2026-11-26 | 3 | 3 pass, 1 unsupported | not compared |');
  });

  it('has a verdict for each case with a shape in its name', () => {
    const verdicts = [{ case: 'allReduce/ring/f32/2r', verdict: 'pass', ms: 3 }];
    expect(shortResults(new JsonValue({ ...head, verdicts }, 'collectives.json'))).toMatchObject({
      verdicts: { 'allReduce/ring/f32/2r': 'pass' },
      unsupported: {},
    });
  });
});

describe('a claim about speed or sameness', () => {
  it('is allowed only in a table that is made from a file', () => {
    expect(unsourcedClaims('Collectives are as fast as NCCL, and up to 16 times faster.')).toEqual([
      'as fast as NCCL',
      'times faster',
    ]);
    expect(unsourcedClaims('It takes 14 % less time. All of it: 100 %.')).toEqual(['4 % less', '100 %']);
    expect(unsourcedClaims('The bytes are the same bits as on GPUs.')).toEqual(['same bits as on GPUs']);
    expect(
      unsourcedClaimsOfComments("const a = '100 %'; // plain\n/**\n * As fast.\n * 3 times faster.\n */\n"),
    ).toEqual(['times faster']);
    expect(unsourcedClaims(`${table}\nIt takes less time. A core lost 1.8 % or more.`)).toEqual([]);
  });
});

describe('a file of results', () => {
  it('that a program of this package wrote names that program', () => {
    const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-results-'));
    try {
      const file = join(folder, 'results', 'rows.json');
      writeResults(file, machineText(), { rows: [1] });
      expect(missingIn(readFileSync(file, 'utf8'), 'rows.json')).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('without commit, command, date or machine is reported', () => {
    expect(missingIn('{"date":"2026-11-26","machine":"two cores"}', 'a.json')).toEqual(['commit', 'command']);
  });

  it('names the sources that it measures', () => {
    expect(measuredPaths('packages/collectives/results/table-2-h200.json')).toContain('packages/collectives/src');
    expect(measuredPaths('packages/core/results/speed.json')).toBeUndefined();
  });

  it('is reported if it is older than those sources', () => {
    if (repository.hasHistory) expect(repository.changesSince('HEAD', ['packages'])).toBe(0);
    expect(repository.changesSince('0000000000000000000000000000000000000000', ['packages'])).toBeUndefined();
  });

  it('is read in a checkout without history, with one warning that its age is unknown', () => {
    const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-archive-'));
    try {
      const file = join(folder, 'apps', 'bench', 'results', 'racy.json');
      writeResults(file, machineText(), { rows: [] });
      writeFileSync(join(folder, 'README.md'), 'It is as fast as NCCL.\n');
      const archive = new Repository(folder);
      expect([archive.readmes, archive.results]).toEqual([['README.md'], ['apps/bench/results/racy.json']]);
      const { problems, warnings } = checkFigures(archive);
      expect(problems).toEqual([expect.stringContaining('README.md: claims "as fast as NCCL"')]);
      expect(warnings).toEqual([expect.stringContaining('there is no git history here')]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
