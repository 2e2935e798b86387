import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildReport, findingFingerprint, type Finding } from '@nccl-ts/findings';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptFindings } from '../src/check/accept-findings.ts';
import { Baseline } from '../src/check/baseline.ts';
import type { BaselineEntry } from '../src/check/baseline-entry.ts';
import { build, fixtures, served, stopServing, type Outcome } from './support/command.ts';
import { schemaProblems } from './support/report-schema.ts';

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
    stopServing();
    rmSync(folder, { recursive: true });
  });

  const line = '-n 2 -g 1 -b 4 --arg count=8 --strategy late --schedules 1'.split(' ');

  async function checks(...args: readonly string[]): Promise<Outcome> {
    return served(['check', ...args, ...line], folder);
  }

  /** A process that has loaded the module would not notice the change. */
  function rewrite(text: string): void {
    writeFileSync(join(folder, 'kernels/hands.ts'), text);
    stopServing();
  }

  test('writes the file, accepts its entries, and lists entries that no longer occur', { timeout }, async () => {
    const file = join(folder, 'accepted.json');
    const read = (): { readonly accepted: readonly BaselineEntry[] } => {
      const json: { readonly accepted: readonly BaselineEntry[] } = JSON.parse(readFileSync(file, 'utf8'));
      return json;
    };

    expect((await checks('kernels/hands.ts', 'drops')).code).toBe(1);
    const written = await checks('kernels/hands.ts', 'drops', '--baseline', 'accepted.json', '--update-baseline');
    expect(written.stdout).toMatch(/^accepted\[race\]: race at .*\n\n.*accepted\.json accepts \d+ findings now\n$/ms);
    expect(written.code).toBe(0);
    const { accepted } = read();
    expect(read()).toMatchObject({ format: 'nccl-ts/check-baseline', version: 1 });
    expect(accepted[0]).toMatchObject({ file: 'kernels/hands.ts', name: 'drops', kind: 'race' });
    expect(accepted.flatMap(({ lines }) => lines).join()).toContain('next[from + i] = f32(i);');

    const again = await checks('kernels/hands.ts', 'drops', '--baseline', 'accepted.json', '--json');
    const json: { readonly accepted: readonly unknown[] } = JSON.parse(again.stdout);
    expect(schemaProblems(json)).toEqual([]);
    expect(json).toMatchObject({ verdict: 'clean', findings: [], stale: [] });
    expect(json.accepted).toHaveLength(accepted.length);
    expect(again.code).toBe(0);

    // Lines that move stay accepted, but a new finding does not.
    const moved = `// a line more\n${readFileSync(join(folder, 'kernels/hands.ts'), 'utf8')}`;
    rewrite(moved);
    const after = await checks('kernels/hands.ts', 'drops', '--baseline', 'accepted.json');
    expect(after.stdout).toMatch(/\n\nclean: no findings/);
    expect(after.stdout).toContain('accepted.json accepts them: a check ends with its first error');
    expect(after.code).toBe(0);
    rewrite(moved.replaceAll("'relaxed'", "'acq_rel'").replaceAll('f32(i)', 'f32(i + 1)'));
    const mended = await checks('kernels/hands.ts', 'drops', '--baseline', 'accepted.json');
    expect(mended.stdout).toMatch(
      /\n\nnote: accepted\.json accepts a finding that no longer occurs: race in drops of kernels\/hands\.ts: /,
    );
    expect(mended.stdout).toMatch(/\n--update-baseline takes (it|them) out\n$/);
    expect(mended.code).toBe(0);
    rewrite(moved.replaceAll('f32(i)', 'f32(i + 1)'));
    const another = await checks('kernels/hands.ts', 'drops', '--baseline', 'accepted.json');
    expect(another.stdout).toMatch(/^race: /m);
    expect(another.stdout).not.toContain('not found any more');
    expect(another.code).toBe(1);
  });

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
