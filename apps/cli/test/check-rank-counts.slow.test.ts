import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, fixtures, served, type Outcome } from './support/command.ts';
import './check-rank-counts.test.ts';

// The machine may be busy.
const timeout = 240_000;
const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-ranks-'));
beforeAll(build, timeout);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const checks = async (line: string): Promise<Outcome> => served(['check', ...line.split(' ')], join(fixtures, 'ranks'));

describe('a harness that fixes no number of ranks', () => {
  test('is checked with 2, 3 and 4, and the report lists what each gave', { timeout }, async () => {
    const { code, stdout } = await checks('ring.launch.ts');
    expect(stdout).toMatch(/^ring on 2, 3 and 4 ranks: checked in /);
    expect(stdout).toContain('\n  the harness fixes no number of ranks, so a check runs 2, 3 and 4 ranks\n');
    expect(stdout).toContain('\n\n  2 ranks: clean; this holds for every schedule');
    expect(stdout).toContain('\n  3 ranks: race; ');
    expect(stdout).toContain('\n  4 ranks: race; ');
    expect(stdout).toMatch(/\n\nrace: 1 error, \d+ accesses checked on 3 ranks x 1 CTA x 8 threads; /);
    expect(code).toBe(1);
  });
});
