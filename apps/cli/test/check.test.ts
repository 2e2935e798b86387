import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckReportJson, SarifLog } from '@nccl-ts/findings';
import { beforeAll, describe, inject, test } from 'vitest';
import { build } from './support/command.ts';
import { schemaProblems } from './support/report-schema.ts';
import { timeout, small, checks } from './support/run-check.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

beforeAll(build, timeout);

describe('check', () => {
  test.concurrent('is clean for a kernel that orders its accesses', { timeout }, async ({ expect }) => {
    const { code, stdout, stderr } = await checks('hands.ts hands', ...small);
    expect(stdout).toMatch(
      /^hands on 2 ranks, 1 CTA x 4 threads: checked in \d+\.\d s\n\nclean: no findings, \d+ accesses checked on 2 ranks x 1 CTA x 4 threads; 2 schedules were run \(strategy random, seeds from 1 on\), others may differ\n$/,
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test.concurrent.for(slow)('shows both lines of a race', { timeout }, async (_, { expect }) => {
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

  test.concurrent('runs a host program', { timeout }, async ({ expect }) => {
    const { code, stdout } = await checks('host.ts -n 2 -b 8 --strategy late --local');
    expect(stdout).toMatch(/^host on 2 ranks: checked in .*\n\nclean: .*strategy late/);
    expect(code).toBe(0);
  });

  test.concurrent.for(slow)('reports an error of a host program like run', { timeout }, async (_, { expect }) => {
    const { code, stdout, stderr } = await checks('bad-host.ts');
    expect(stderr).toMatch(/^error\[NCCL_INVALID_ARGUMENT\]: allocWindow: .*given -1\.\n/);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  const mistakes: readonly (readonly [string, string, readonly (string | RegExp)[]])[] = [
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
  ];

  test.concurrent.for(mistakes.filter((_, i) => (i === 0) !== inject('slow')))(
    'reports %s as a finding',
    { timeout },
    async ([, line, pieces], { expect }) => {
      const { code, stdout, stderr } = await checks(line);
      for (const piece of pieces) expect(stdout).toMatch(piece);
      expect(stderr).toBe('');
      expect(code).toBe(1);
    },
  );

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

  test.concurrent.for(slow)(
    'prints SARIF, with files relative to the current folder',
    { timeout },
    async (_, { expect }) => {
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
    },
  );
});
