import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, closeSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SarifLog } from '@nccl-ts/findings';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, fixtures, ncclTs, served, withoutProgress } from './support/command.ts';

const timeout = 60_000;
const bin = join(fixtures, '../../bin/nccl-ts.js');
const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-output-'));

beforeAll(build, timeout);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/**
 * Runs the command with a stdout that has no reader, or that is this file. Returns its exit code
 * and stderr without progress.
 */
async function run(args: readonly string[], stdout: 'gone' | number): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: fixtures,
    stdio: ['ignore', stdout === 'gone' ? 'pipe' : stdout, 'pipe'],
  });
  // As `| head` does, but before the first byte.
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stderr: withoutProgress(stderr) };
}

const small = '-n 2 -g 1 -b 4 -a count=8 --bytes 4K --sequence once'.split(' ');

describe('a reader that has closed its pipe', () => {
  test("leaves a race's exit code 1, and its report is written", { timeout }, async () => {
    const sarif = join(folder, 'gone.sarif');
    // Several programs: a line is printed for each before the report is complete.
    const { code, stderr } = await run(['check', 'hands.ts', 'sums.ts', ...small, '--sarif', sarif], 'gone');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const log: SarifLog = JSON.parse(readFileSync(sarif, 'utf8'));
    expect(log.runs[0]?.results[0]?.ruleId).toMatch(/^race/);
  });

  test("leaves a clean check's exit code 0", { timeout }, async () => {
    expect(await run(['run', 'sums.ts', '-n', '2', '-g', '2', '-a', 'count=8'], 'gone')).toEqual({
      code: 0,
      stderr: '',
    });
  });
});

describe.runIf(process.platform === 'linux')('a full disk (Linux has /dev/full)', () => {
  test('is reported if the report goes to stdout, and files are still written', { timeout }, async () => {
    const sarif = join(folder, 'full.sarif');
    const full = openSync('/dev/full', 'w');
    const { code, stderr } = await run(['check', 'hands.ts', 'hands', ...small, '--sarif', sarif], full);
    closeSync(full);
    expect(stderr).toBe('error: cannot write to stdout because the disk is full (ENOSPC); what is there is not all\n');
    expect(code).toBe(1);
    expect(JSON.parse(readFileSync(sarif, 'utf8'))).toMatchObject({ version: '2.1.0' });
  });

  test('is reported if a file goes there, and the report is printed', { timeout }, async () => {
    const { code, stdout, stderr } = await ncclTs(['check', 'hands.ts', 'drops', ...small, '--sarif', '/dev/full']);
    expect(stderr).toMatch(/^error: cannot write --sarif \/dev\/full because the disk is full \(ENOSPC\); make room/);
    expect(stdout).toMatch(/^race: /m);
    expect(code).toBe(1);
  });
});

test('a kernel prints more lines than a call can have arguments', { timeout }, async () => {
  const { code, stdout, stderr } = await served('run floods.ts floods -n 1 -g 1 -b 1 -a lines=130000'.split(' '));
  expect(stderr).toBe('');
  expect(stdout.match(/^ {2}\[rank 0 cta 0 thread 0\] line \d+$/gm)).toHaveLength(130_000);
  expect(code).toBe(0);
});

test('allocates all windows before it fills the first', { timeout }, async () => {
  // A single window of the last kind has no room, and filling the first would take seconds.
  const { code, stderr } = await served('run floods.ts three -n 4 -g 1 -b 1 --bytes 900M'.split(' '));
  expect(stderr).toMatch(/^error\[NCCLTS_OUT_OF_MEMORY\]: no room/);
  expect(code).toBe(1);
});

test('names of kernels and files, and printed lines, cannot control the terminal', { timeout }, async () => {
  const sarif = join(folder, 'names.sarif');
  const run = await served('run escapes.ts title -n 1 -g 1 -b 1 --bytes 64'.split(' '));
  const checked = await served(['check', 'escapes.ts', ...'-n 2 -g 1 -b 1 --bytes 64 --sarif'.split(' '), sarif]);
  const json = await served('run escapes.ts title -n 1 -g 1 -b 1 --bytes 64 --json'.split(' '));
  const wrong = await served(['run', 'escapes.ts', '-k', '\u001b[31mred']);
  const unknown = await served(['run', '--\u001b[31mred']);
  const all = [run, checked, json, wrong, unknown].flatMap(({ stdout, stderr }) => [stdout, stderr]);
  // oxlint-disable-next-line no-control-regex -- these are looked for
  for (const text of all) expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(run.stdout).toContain(String.raw`\u001b]0;title\u0007`);
  expect(run.stdout).toContain(String.raw`[rank 0 cta 0 thread 0] \u001b[31mred\nclean: no findings`);
  expect(JSON.parse(json.stdout)).toMatchObject({ name: '\u001b]0;title\u0007' });
  expect(checked.code).toBe(1);
  const log: SarifLog = JSON.parse(readFileSync(sarif, 'utf8'));
  // oxlint-disable-next-line no-control-regex -- these are looked for
  expect(log.runs[0]?.results.map(({ message }) => message.text).join('\n')).not.toMatch(/[\u001b\u0007]/);
  expect(JSON.stringify(log)).toContain(String.raw`\\u001b`);
});

test('emit writes the same text to a file as to stdout, and leaves no other file', { timeout }, async () => {
  const own = mkdtempSync(join(folder, 'emit-'));
  const file = join(own, 'sums.wgsl');
  const [printed, written] = await Promise.all([
    served('emit sums.ts sums -t wgsl -n 2 -b 64'.split(' ')),
    served(['emit', 'sums.ts', '-k', 'sums', ...'-t wgsl -n 2 -b 64 --out'.split(' '), file]),
  ]);
  expect(written).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(readFileSync(file, 'utf8')).toBe(printed.stdout);
  expect(readdirSync(own)).toEqual(['sums.wgsl']);
});
