import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildReport, findingFingerprint, type Finding } from '@nccl-ts/findings';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptFindings } from '../src/check/accept-findings.ts';
import { Baseline } from '../src/check/baseline.ts';
import type { BaselineEntry } from '../src/check/baseline-entry.ts';
import { build, fixtures, served, type Outcome } from './support/command.ts';

// The machine may be busy.
const timeout = 240_000;

const misuse = (message: string, parts: Partial<Finding> = {}): Finding => ({
  kind: 'misuse',
  severity: 'error',
  message,
  labels: [],
  missing: [],
  certainty: 'this schedule',
  schedule: { strategy: 'late', seed: 1 },
  ...parts,
});

function entry(finding: Finding, parts: Partial<BaselineEntry> = {}): BaselineEntry {
  const { kind, message } = finding;
  return { file: 'a.ts', name: 'a', kind, message, lines: [], fingerprint: findingFingerprint(finding), ...parts };
}

describe('a baseline', () => {
  const reportOf = (...findings: readonly Finding[]): ReturnType<typeof buildReport> =>
    buildReport({ runs: [{ findings, accesses: 7 }], proves: { kind: 'this schedule', strategy: 'late', seed: 1 } });

  test('removes its errors from the verdict, and nothing else', () => {
    const note = misuse('a note', { severity: 'note' });
    const { report, accepted } = acceptFindings(reportOf(misuse('one'), misuse('two'), note), [
      entry(misuse('one')),
      entry(note),
    ]);
    expect(accepted.map(({ message }) => message)).toEqual(['one']);
    expect(report.findings.map(({ message }) => message)).toEqual(['two', 'a note']);
    expect(report).toMatchObject({ verdict: 'misuse', accesses: 7 });
    expect(acceptFindings(reportOf(misuse('one')), [entry(misuse('one'))]).report.verdict).toBe('clean');
  });

  test('does not accept a check that reached a bound', () => {
    const cut = misuse('out of fuel', { kind: 'incomplete' });
    expect(acceptFindings(reportOf(cut), [entry(cut)])).toMatchObject({
      accepted: [],
      report: { verdict: 'incomplete' },
    });
    expect(acceptFindings(reportOf(cut), 'everything').accepted).toEqual([]);
  });

  test('keeps the entries of programs that were not checked, and is sorted', () => {
    const before = new Baseline('/work/accepted.json', [
      entry(misuse('gone')),
      entry(misuse('other'), { file: 'z.ts' }),
      entry(misuse('twice'), { file: 'a.ts', name: 'b' }),
    ]);
    const found = [
      { file: '/work/a.ts', name: 'a', findings: [misuse('new'), misuse('a note', { severity: 'note' })] },
    ];
    expect(before.updated(found).entries.map(({ file, name, message }) => [file, name, message])).toEqual([
      ['a.ts', 'a', 'new'],
      ['a.ts', 'b', 'twice'],
      ['z.ts', 'a', 'other'],
    ]);
    expect(before.stale(found).map(({ message }) => message)).toEqual(['gone']);
    expect(before.of('/work/a.ts', 'a').map(({ message }) => message)).toEqual(['gone']);
  });
});

describe('check --baseline', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-baseline-'));

  beforeAll(() => {
    build();
    symlinkSync(join(fixtures, '../../node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
    cpSync(join(fixtures, 'hands.ts'), join(folder, 'kernels/hands.ts'), { recursive: true });
  }, timeout);

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const line = '-n 2 -g 1 -b 4 --arg count=8 --strategy late --schedules 1'.split(' ');

  async function checks(...args: readonly string[]): Promise<Outcome> {
    return served(['check', ...args, ...line], folder);
  }

  test.concurrent.for<readonly [string, string]>([
    ['not json', 'it is not JSON'],
    ['{"format":"nccl-ts/check-baseline","version":2,"accepted":[]}', 'it is not a baseline of version 1'],
    ['{"format":"nccl-ts/check-baseline","version":1,"accepted":[{"file":1}]}', 'it is not a baseline of version 1'],
  ])('refuses %s', { timeout }, async ([text, why], { expect }) => {
    const name = `${why.length}-${text.length}.json`;
    writeFileSync(join(folder, name), text);
    const { code, stderr } = await checks('kernels/hands.ts', 'hands', '--baseline', name);
    expect(stderr).toContain(`--baseline ${name}: ${why}`);
    expect(code).toBe(2);
  });
});
