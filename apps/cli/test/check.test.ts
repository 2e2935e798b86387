import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckReportJson, SarifLog } from '@nccl-ts/findings';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { build, served, stopServing, type Outcome } from './support/command.ts';
import { schemaProblems } from './support/report-schema.ts';

// The machine may be busy.
const timeout = 240_000;

beforeAll(build, timeout);
afterAll(stopServing);

const launch = ['--ranks', '2', '--grid', '1', '--block', '4', '--arg', 'count=8', '--bytes', '4K'];
const small = [...launch, '--sequence', 'once', '--strategy', 'random', '--schedules', '2'];

async function checks(line: string, ...more: readonly string[]): Promise<Outcome> {
  return served(['check', ...line.split(' '), ...more]);
}

describe('check', () => {
  test.concurrent('is clean for a kernel that orders its accesses', { timeout }, async ({ expect }) => {
    const { code, stdout, stderr } = await checks('hands.ts hands', ...small);
    expect(stdout).toMatch(
      /^hands on 2 ranks, 1 CTA x 4 threads: checked in \d+\.\d s\n\nclean: no findings, \d+ accesses checked on 2 ranks x 1 CTA x 4 threads; 2 schedules were run \(strategy random, seeds from 1 on\), others may differ\n$/,
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test.concurrent('uses auto by default, and reports its coverage', { timeout }, async ({ expect }) => {
    const { code, stdout, stderr } = await checks('hands.ts hands', ...launch);
    expect(stdout).toMatch(
      /^hands on 2 ranks, 1 CTA x 4 threads: checked in \d+\.\d s\n {2}once \(one launch\): clean; .*\n {2}repeat \(3 consecutive launches on one stream\): clean; .*\n {2}sizes \(3 consecutive launches on one stream, with count 8, 4, 8\): clean; .*\n\nclean: no findings, /,
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test.concurrent('shows both lines of a race', { timeout }, async ({ expect }) => {
    const { code, stdout, stderr } = await checks('hands.ts drops', ...small);
    const store = /^29 \| .*next\[from \+ i\] = f32\(i\);\n +\| +[-^]+/m;
    const load = /^31 \| .*mine\[from \+ i\]!;\n +\| +[-^]+/m;
    expect(stdout).toMatch(/^error\[race\]: .*\n +--> .*hands\.ts:(29|31):\d+\n/m);
    expect(stdout).toMatch(store);
    expect(stdout).toMatch(load);
    expect(stdout).toMatch(/^ += help: /m);
    expect(stdout).toMatch(/^ += replay: strategy random, seed 1(, or choices r:\S*)?$/m);
    expect(stdout).toMatch(/^race: \d errors?, .*2 schedules were run/m);
    expect(stderr).toBe('');
    expect(code).toBe(1);
  });

  test.concurrent('names a kernel in the same way as run', { timeout }, async ({ expect }) => {
    const missing = await checks('hands.ts', ...small);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/choose one with --kernel: drops, hands/) });
    const chosen = await checks('hands.ts --kernel hands', ...small);
    expect(chosen.code).toBe(0);
    const two = await checks('hands.ts drops --kernel hands', ...small);
    expect(two).toMatchObject({ code: 2, stderr: expect.stringMatching(/--kernel hands: .* drops/) });
  });

  const least = [
    '--ranks',
    '2',
    '--grid',
    '1',
    '--block',
    '1',
    '--arg',
    'count=1',
    '--bytes',
    '64',
    '--sequence',
    'once',
    '--exhaustive',
  ];

  test.concurrent('explores all schedules, up to a bound', { timeout }, async ({ expect }) => {
    const clean = await checks('hands.ts hands', ...least);
    expect(clean.stdout).toMatch(/^clean: no findings, .*; this holds for every schedule of this input/m);
    expect(clean.code).toBe(0);
    const race = await checks('hands.ts drops', ...least);
    expect(race.stdout).toMatch(/^ += replay: strategy (random|exhaustive)/m);
    expect(race.stdout).toMatch(/^race: .*; every schedule of this input was checked/m);
    expect(race.code).toBe(1);
    const two = [...least, '--grid', '2', '--local'];
    const ways = await checks('hands.ts tickets', ...two);
    expect(ways.stdout).toMatch(/; this holds for every schedule of this input \(\d+ were run/m);
    expect(ways.stdout).not.toContain('(1 was run');
    for (const [bound, why] of [
      ['0', 'one run does not represent all: two writes may occur in either order'],
      ['1', '1 runs'],
    ] as const) {
      const bounded = await checks('hands.ts tickets', ...two, '--bound', bound);
      expect(bounded.stdout).toMatch(/^incomplete: no findings, .*; the check is not complete: /m);
      expect(bounded.stdout).toContain(why);
      expect(bounded.code).toBe(3);
    }
  });

  test.concurrent('runs a host program', { timeout }, async ({ expect }) => {
    const { code, stdout } = await checks('host.ts -n 2 -b 8 --strategy late --local');
    expect(stdout).toMatch(/^host on 2 ranks: checked in .*\n\nclean: .*strategy late/);
    expect(code).toBe(0);
  });

  test.concurrent('reports an error of a host program like run', { timeout }, async ({ expect }) => {
    const { code, stdout, stderr } = await checks('bad-host.ts');
    expect(stderr).toMatch(/^error\[NCCL_INVALID_ARGUMENT\]: allocWindow: .*given -1\.\n/);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  test.concurrent.for<readonly [string, string, readonly (string | RegExp)[]]>([
    ['a deadlock', 'waits.ts -g 2 -b 32', [/^error\[deadlock\]: /m, 'missing: rank 3', /^deadlock: 1 error/m]],
    [
      'an access out of bounds',
      'mistakes.ts strays -n 1 -g 1 -b 1 --bytes 4K -a at=1024',
      [/^error\[out-of-bounds\]: /m, 'byte 4096 of window 0', /mistakes\.ts:22:5\n +\|\n22 \| +p\[at\] = f32\(1\);\n/],
    ],
    [
      'a failed assertion',
      'prints.ts thenFaults -n 1 -g 1 -b 1 --strategy random',
      [/^error\[fault\]: assertion failed: never/m, /seen: 10 times/],
    ],
  ])('reports %s as a finding', { timeout }, async ([, line, pieces], { expect }) => {
    const { code, stdout, stderr } = await checks(line);
    for (const piece of pieces) expect(stdout).toMatch(piece);
    expect(stderr).toBe('');
    expect(code).toBe(1);
  });

  test.concurrent('prints JSON', { timeout }, async ({ expect }) => {
    const { code, stdout } = await checks('hands.ts drops --json --shrink', ...small);
    const report: CheckReportJson & { readonly input: unknown; readonly shrunk: unknown } = JSON.parse(stdout);
    expect(schemaProblems(report)).toEqual([]);
    expect(report).toMatchObject({
      $schema: 'urn:nccl-ts:check-report:1',
      format: 'nccl-ts/check-report',
      version: 1,
      verdict: 'race',
      proves: { kind: 'schedules', count: 2, strategy: 'random', seed: 1 },
      input: { program: 'kernel', name: 'drops', ranks: 2, lsaSize: 2, grid: 1, block: 4, args: { count: '8' } },
      shrunk: { ranks: 2, grid: 1, block: 1, counts: { count: 1 }, smallest: true },
    });
    expect(report.findings[0]?.labels[0]?.place?.file).toMatch(/hands\.ts$/);
    expect(code).toBe(1);
  });

  test.concurrent('prints SARIF, with files relative to the current folder', { timeout }, async ({ expect }) => {
    const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-check-'));
    try {
      const { code, stdout } = await checks('hands.ts drops', ...small, '--sarif', join(folder, 'check.sarif'));
      expect(stdout).toMatch(/^race: /m);
      expect(code).toBe(1);
      const log: SarifLog = JSON.parse(readFileSync(join(folder, 'check.sarif'), 'utf8'));
      const [result] = log.runs[0]?.results ?? [];
      expect(result?.ruleId).toMatch(/^race\//);
      expect(result?.locations[0]?.physicalLocation?.artifactLocation).toEqual({
        uri: 'hands.ts',
        uriBaseId: 'SRCROOT',
      });
      expect(result?.codeFlows?.[0]?.threadFlows).toHaveLength(2);
      const nowhere = await checks('hands.ts hands', ...small, '--sarif', join(folder, 'nowhere', 'check.sarif'));
      expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringMatching(/--sarif .*ENOENT/) });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.concurrent('shrinks to a smaller launch with the same finding', { timeout }, async ({ expect }) => {
    const { stdout } = await checks(
      'hands.ts drops --ranks 3 --grid 2 --block 8 --arg count=64 --strategy random --schedules 1 --shrink',
    );
    const line = /^ {2}nccl-ts (check hands\.ts drops .*)$/m.exec(stdout)?.[1] ?? '';
    expect(line).toContain('--ranks 2 --grid 1 --block 1 --arg count=1 --sequence once --replay r: --seed 1');
    expect(stdout).toMatch(/^smallest launch .*: 2 ranks, 1 CTA x 1 thread, count 1 \(\d+ runs\)$/m);
    const again = await served(line.split(' '));
    expect(again.stdout).toMatch(/^error\[race\]: /m);
    // A replayed report states how to replay it again.
    expect(again.stdout).toMatch(/^ += replay: strategy replay, seed 1, or choices r:$/m);
    expect(again.code).toBe(1);
  });
});
