import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckReportJson, SarifLog } from '@nccl-ts/findings';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { build, fixtures, served, type Outcome } from './support/command.ts';
import { schemaProblems } from './support/report-schema.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

// The machine may be busy.
const timeout = 240_000;
const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-ranks-'));
beforeAll(build, timeout);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const checks = async (line: string): Promise<Outcome> => served(['check', ...line.split(' ')], join(fixtures, 'ranks'));

describe('a harness that fixes no number of ranks', () => {
  test('is checked with the numbers of the command line', { timeout }, async () => {
    const two = await checks('ring.launch.ts --ranks 2');
    expect(two.stdout).toMatch(/^ring on 2 ranks: checked in [\d.]+ s\n\nclean: .* on 2 ranks x 1 CTA x 8 threads;/);
    expect(two.code).toBe(0);
    const { code, stdout } = await checks('ring.launch.ts --ranks 2,5');
    expect(stdout).toContain('\n  5 ranks: race; ');
    expect(code).toBe(1);
  });

  test.for(slow)('goes on with the others where setup cannot describe one', { timeout }, async () => {
    const { code, stdout } = await checks('even.launch.ts');
    expect(stdout).toContain('\n  3 ranks: not checked, because RangeError: 3 ranks are no pairs\n');
    expect(stdout).toContain('\n  4 ranks: race; ');
    expect(code).toBe(1);
    const odd = await checks('even.launch.ts --ranks 3,5');
    expect(odd.stderr).toContain('3 ranks are no pairs');
    expect([odd.stdout, odd.code]).toEqual(['', 1]);
  });

  test.for(slow)('has the same facts in JSON and SARIF', { timeout }, async () => {
    const file = join(folder, 'report.sarif');
    const { stdout } = await checks(`even.launch.ts --json --sarif ${file}`);
    const json: CheckReportJson & { readonly input: unknown } = JSON.parse(stdout);
    expect(schemaProblems(json)).toEqual([]);
    const byRanks = [
      expect.objectContaining({ ranks: 2, verdict: 'clean' }),
      { ranks: 3, why: 'RangeError: 3 ranks are no pairs' },
      expect.objectContaining({ ranks: 4, verdict: 'race' }),
    ];
    const scope = { launches: [{ ranks: 4, ctas: 1, threads: 8 }], communicates: true };
    expect(json).toMatchObject({ verdict: 'race', scope, byRanks });
    expect(json.input).toMatchObject({ ranks: 4, rankCounts: [2, 3, 4], hasDefaultRanks: true });
    const log: SarifLog = JSON.parse(readFileSync(file, 'utf8'));
    expect(log.runs[0]?.properties).toMatchObject({ verdict: 'race', scope, byRanks });
  });

  test('names all numbers in the verdict if they agree', { timeout }, async () => {
    const { code, stdout } = await checks('alone-local.launch.ts');
    expect(stdout).toMatch(/\n\nclean: .* on 2, 3 and 4 ranks x 2 CTAs x 4 threads; /);
    expect(code).toBe(0);
  });
});

describe('ranks that do not reach each other', () => {
  test.each([
    ['alone.launch.ts', 3],
    ['alone.launch.ts --exhaustive', 3],
    ['alone.launch.ts --local', 0],
    ['alone-local.launch.ts', 0],
    ['alone.launch.ts --ranks 1', 0],
  ])('check %s exits with %i', { timeout }, async (line, expected) => {
    const { code, stdout } = await checks(line);
    const isIncomplete = stdout.includes('no rank touched the memory of another and no wait was reached');
    expect([code, isIncomplete]).toEqual([expected, expected === 3]);
  });
});

describe('nothing to check', () => {
  test.each(['', ' --exhaustive', ' --strategy random', ' --ranks 1', ' --local'])(
    'is an error where no kernel is launched%s',
    { timeout },
    async (options) => {
      const { code, stdout, stderr } = await checks(`../nothing.ts${options}`);
      expect(stderr).toBe(
        'error[NCCLTS_NO_LAUNCH]: cannot check the program because it launched no kernel; launch one on each rank with comm.launch.\n',
      );
      expect([stdout, code]).toEqual(['', 1]);
    },
  );

  test('is an error with the line where a harness has something to fill in', { timeout }, async () => {
    const { code, stdout, stderr } = await checks('todo.launch.ts');
    expect(stderr).toMatch(
      /error\[NCCLTS_TODO\]: cannot launch the kernel because todo\('the number of elements'\) is not filled in; write the value at .*todo\.launch\.ts:9:37\./,
    );
    expect(stderr).toContain(
      "--> todo.launch.ts:9:37\n  |\n9 |     const data = alloc('data', f32, todo('the number of elements'));",
    );
    expect([stdout, code]).toEqual(['', 1]);
  });
});

test('--replay is for one number of ranks', { timeout }, async () => {
  const { code, stderr } = await checks('ring.launch.ts --ranks 2,3 --replay r:1');
  expect(stderr).toContain('--replay runs one schedule with one number of ranks; name that one alone with --ranks');
  expect(code).toBe(2);
});
