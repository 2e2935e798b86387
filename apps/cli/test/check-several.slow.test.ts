import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SarifLog } from '@nccl-ts/findings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, fixtures, served, type Outcome } from './support/command.ts';
import { schemaProblems } from './support/report-schema.ts';

// The machine may be busy.
const timeout = 240_000;

const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-several-'));

beforeAll(() => {
  build();
  // Modules find their packages from here, like the fixtures.
  symlinkSync(join(fixtures, '../../node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  cpSync(join(fixtures, 'hands.ts'), join(folder, 'hands.kernel.ts'));
  cpSync(join(fixtures, 'launches.ts'), join(folder, 'deep/launches.kernel.ts'), { recursive: true });
  for (const name of ['host.ts', 'no-kernel.ts', 'throws.ts', 'stuck-host.ts'])
    cpSync(join(fixtures, name), join(folder, name));
}, timeout);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const small = ['-n', '2', '-g', '1', '-b', '4', '--bytes', '32K', '--strategy', 'late', '--schedules', '1'];

async function checks(...args: readonly string[]): Promise<Outcome> {
  return served(['check', ...args, ...small], folder);
}

/** The lines of the summary. */
function summaryOf({ stdout }: Outcome): readonly string[] {
  const lines = stdout
    .slice(stdout.lastIndexOf('\nsummary\n') + 1)
    .trimEnd()
    .split('\n');
  return lines.map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));
}

test('check with a pattern checks every program of each matching file', { timeout }, async () => {
  const outcome = await checks('**/*.kernel.ts', '--arg', 'count=8', '--local');
  expect(summaryOf(outcome)).toEqual([
    'summary',
    expect.stringMatching(
      /^deep\/launches\.kernel\.ts \| counts \| race \| \d errors?, in the sequence once: one launch$/,
    ),
    "deep/launches.kernel.ts | epochs | not checked | kernel 'epochs' needs a value for 'epoch' (u32): --arg epoch=...",
    expect.stringMatching(
      /^deep\/launches\.kernel\.ts \| noEntry \| race \| \d errors?, in the sequence repeat: 3 consecutive launches on one stream$/,
    ),
    expect.stringMatching(/^deep\/launches\.kernel\.ts \| stale \| fault \| 1 error, in the sequence sizes: /),
    expect.stringMatching(/^hands\.kernel\.ts \| drops \| race \| \d errors?, in the sequence once: one launch$/),
    'hands.kernel.ts | hands | clean',
    'hands.kernel.ts | tickets | clean',
    '6 programs checked, 1 not checked',
  ]);
  expect(outcome.stdout).toMatch(/^hands\.kernel\.ts: hands on 2 ranks, /m);
  expect(outcome).toMatchObject({ code: 1, stderr: '' });
});

test.concurrent(
  'check of several files handles a failure, a host program and a file without kernels',
  { timeout },
  async ({ expect }) => {
    const outcome = await checks('--local', 'throws.ts', 'host.ts', 'no-kernel.ts', 'host.ts');
    expect(summaryOf(outcome)).toEqual([
      'summary',
      'throws.ts | failed | this module does not load',
      'host.ts | host | clean',
      'no-kernel.ts | not checked | no-kernel.ts exports no kernel: write export const name = kernel({ ... }, ...)',
      '1 program checked, 1 not checked, 1 failed',
    ]);
    expect(outcome.stderr).toMatch(/^throws\.ts: error: this module does not load\n/);
    expect(outcome.code).toBe(1);
  },
);

test.concurrent('check takes one kernel name for several files', { timeout }, async ({ expect }) => {
  const outcome = await checks('hands.kernel.ts', 'deep/launches.kernel.ts', '-k', 'hands', '--arg', 'count=8');
  expect(summaryOf(outcome).slice(1)).toEqual(['hands.kernel.ts | hands | clean', '1 program checked']);
  expect(outcome.code).toBe(0);
});

test.concurrent(
  'check of several programs is incomplete if one is and none has errors',
  { timeout },
  async ({ expect }) => {
    const outcome = await served(
      [
        'check',
        'hands.kernel.ts',
        'host.ts',
        '-k',
        'tickets',
        '--arg',
        'count=1',
        '-n',
        '1',
        '-g',
        '2',
        '-b',
        '1',
        '--exhaustive',
        '--bound',
        '0',
      ],
      folder,
    );
    expect(summaryOf(outcome)[1]).toMatch(
      /^hands\.kernel\.ts \| tickets \| incomplete \| one run does not represent all/,
    );
    expect(outcome.code).toBe(3);
  },
);

test.concurrent('check of several programs prints JSON that fits the schema', { timeout }, async ({ expect }) => {
  const { code, stdout } = await checks(
    'hands.kernel.ts',
    'throws.ts',
    'no-kernel.ts',
    '--json',
    '--local',
    '--arg',
    'count=8',
  );
  const json: { readonly reports: readonly unknown[] } = JSON.parse(stdout);
  expect(schemaProblems(json)).toEqual([]);
  expect(json).toMatchObject({
    $schema: 'urn:nccl-ts:check-report:1',
    format: 'nccl-ts/check-reports',
    version: 1,
    verdict: 'wrong',
    reports: [
      {
        verdict: 'race',
        input: { name: 'drops' },
        sequences: [{ name: 'once', verdict: 'race' }, { name: 'repeat' }, { name: 'sizes' }],
      },
      { file: 'hands.kernel.ts', verdict: 'clean', input: { name: 'hands', args: { count: '8' } } },
      { verdict: 'clean', input: { name: 'tickets' } },
    ],
    skipped: [{ file: 'no-kernel.ts' }],
    failed: [{ file: 'throws.ts' }],
  });
  expect(code).toBe(1);
});

test.concurrent('check of several programs writes one SARIF log', { timeout }, async ({ expect }) => {
  const { code } = await checks(
    'hands.kernel.ts',
    'deep/launches.kernel.ts',
    '--arg',
    'count=8',
    '--sarif',
    'all.sarif',
  );
  const log: SarifLog = JSON.parse(readFileSync(join(folder, 'all.sarif'), 'utf8'));
  const uris = log.runs.flatMap(({ results }) =>
    results.map(({ locations }) => locations[0]?.physicalLocation?.artifactLocation.uri),
  );
  expect(log.runs).toHaveLength(1);
  expect(new Set(uris)).toEqual(new Set(['hands.kernel.ts', 'deep/launches.kernel.ts']));
  expect(code).toBe(1);
});

test.concurrent.for<readonly [string, readonly string[], RegExp]>([
  ['a file that is not there', ['hands.kernel.ts', 'nowhere.ts'], /no such file: nowhere\.ts/],
  ['three words of which one is no file', ['hands.kernel.ts', 'host.ts', 'hands'], /no such file: hands/],
  ['a pattern without a match', ['nowhere/**/*.ts'], /no file matches nowhere\/\*\*\/\*\.ts/],
  [
    'nothing to check',
    ['no-kernel.ts', 'hands.kernel.ts'],
    /these files have nothing to check\n {2}no-kernel\.ts: .*\n {2}hands\.kernel\.ts: kernel 'drops' needs a value for 'count'/,
  ],
  [
    'a parameter that no kernel has',
    ['hands.kernel.ts', 'host.ts', '--arg', 'cuont=8'],
    /--arg cuont: no kernel of these files has such a parameter/,
  ],
  ['a smaller launch of several programs', ['hands.kernel.ts', 'host.ts', '--shrink'], /--shrink is for one kernel/],
])('check refuses %s as wrong usage', { timeout }, async ([, args, message], { expect }) => {
  const { code, stderr, stdout } = await checks(...args);
  expect(stderr).toMatch(message);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});
