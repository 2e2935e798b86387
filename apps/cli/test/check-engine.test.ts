import { join } from 'node:path';
import { parseChoices, type CheckOptions } from '@nccl-ts/backend-sim';
import { buildReport, type Proof } from '@nccl-ts/findings';
import { afterEach, expect, test, vi } from 'vitest';
import type { CheckEngine } from '../src/check-engine.ts';
import { runCommandLine } from '../src/command-line.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

interface Asked {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly options: CheckOptions | undefined;
}

/** Runs the command with a stand-in for the engine, and keeps what it prints. */
async function run([name = '', ...line]: readonly string[], engine: CheckEngine): Promise<Omit<Asked, 'options'>> {
  const written = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((written.out += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((written.err += String(text))));
  const file = join(import.meta.dirname, 'fixtures', name);
  const code = await runCommandLine(['node', 'nccl-ts', 'check', file, ...line], engine);
  vi.restoreAllMocks();
  return { code, ...written };
}

/** What the engine is asked for, and what is made of an answer without findings. */
async function ask(line: string, proves: Proof): Promise<Asked> {
  let options: CheckOptions | undefined;
  const printed = await run(['host.ts', ...line.split(' ').filter(Boolean)], async (asked) => {
    options = asked;
    return buildReport({ runs: [], proves });
  });
  return { ...printed, options };
}

const machine = { ranks: 4, lsaSize: 4, residentCtas: 132, strict: false };

test.for<readonly [string, CheckOptions]>([
  ['', { ...machine, strategy: 'random', schedules: 10, seed: 1 }],
  [
    '-n 8 --lsa-size 2 --strategy pct --depth 5 --schedules 3 --seed 7 --strict --resident-ctas 1 --fuel 99',
    { ranks: 8, lsaSize: 2, residentCtas: 1, fuel: 99, strict: true, strategy: 'pct', depth: 5, schedules: 3, seed: 7 },
  ],
  ['--exhaustive', { ...machine, strategy: 'exhaustive' }],
  ['--exhaustive --bound 1000', { ...machine, strategy: 'exhaustive', bound: 1000 }],
  ['--replay 0.1.2 --seed 3', { ...machine, strategy: 'replay', replay: '0.1.2', seed: 3 }],
])('check %s asks the engine for that', async ([line, options]) => {
  const asked = await ask(line, { kind: 'all schedules', count: 12 });
  expect(asked.err).toBe('');
  expect(asked.options).toEqual(options);
  expect(asked.out).toMatch(/\n\nclean: no findings, 0 accesses checked; this holds for every schedule of this input/);
  expect(asked.code).toBe(0);
});

test('a bound that was reached is not clean, and has an exit code of its own', async () => {
  const { code, out } = await ask('--exhaustive --bound 10', { kind: 'nothing', bound: '10 executions' });
  expect(out).toMatch(/\n\nincomplete: no findings, .*; not everything was looked at: 10 executions\n$/);
  expect(code).toBe(3);
});

test('a list of choices is made smaller, after the sizes', async () => {
  const runs: string[] = [];
  const { code, out } = await run(
    ['hands.ts', 'drops', '--replay', 'r:0.2.0.1.3', '--seed', '4', '--shrink', '--arg', 'count=4'],
    async (options) => {
      runs.push(`${options.ranks} ${options.replay}`);
      const shows = options.ranks >= 2 && parseChoices(options.replay?.slice(2) ?? '')[3] === 1;
      const finding = {
        kind: 'leftover',
        severity: 'error',
        message: 'left',
        labels: [],
        missing: [],
        certainty: 'this schedule',
        schedule: { strategy: 'replay', seed: 4, choices: options.replay ?? '' },
      } as const;
      return buildReport({
        runs: [{ findings: shows ? [finding] : [], accesses: 0 }],
        proves: { kind: 'this schedule', strategy: 'replay', seed: 4 },
      });
    },
  );
  expect(out).toMatch(
    /^smallest launch .*: 2 ranks, 1 CTA x 1 thread, count 1 \(\d+ runs\)\n {2}nccl-ts check .*--replay r:_3\.1 --seed 4$/m,
  );
  expect(runs.slice(0, 3)).toEqual(['4 r:0.2.0.1.3', '4 r:0.2.0.1.3', '1 r:0.2.0.1.3']);
  expect(code).toBe(1);
});

test('JSON says so too', async () => {
  const { code, out } = await ask('--exhaustive --json', { kind: 'nothing', bound: '10 executions' });
  expect(JSON.parse(out)).toMatchObject({ verdict: 'incomplete', proves: { kind: 'nothing', bound: '10 executions' } });
  expect(code).toBe(3);
});

test.for<readonly [string, RegExp]>([
  ['--exhaustive --schedules 3', /--exhaustive goes through all schedules: it leaves nothing to --schedules/],
  ['--exhaustive --strategy pct', /it leaves nothing to --strategy/],
  ['--exhaustive --replay 0', /it leaves nothing to --replay/],
  ['--replay 0 --schedules 2', /--replay is one schedule: it leaves nothing to --schedules/],
  ['--depth 2', /--depth is for --strategy pct, and this is --strategy random/],
  ['--bound 2', /--bound is for --exhaustive/],
  ['--lsa-size 3', /must divide the number of ranks, 4/],
  ['--strategy exhaustive', /Allowed choices are random, pct, late/],
  ['--shrink', /--shrink is for kernels, and this runs the function host/],
  ['--arg x=1', /--arg is for a kernel's parameters/],
  ['nix', /--kernel nix: there is no such kernel/],
])('check %s cannot be', async ([line, message]) => {
  const { code, out, err, options } = await ask(line, { kind: 'all schedules', count: 1 });
  expect(err).toMatch(message);
  expect(out).toBe('');
  expect(options).toBeUndefined();
  expect(code).toBe(2);
});
