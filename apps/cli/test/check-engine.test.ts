import { join } from 'node:path';
import type { CheckOptions } from '@nccl-ts/backend-sim';
import { buildReport, type Proof } from '@nccl-ts/findings';
import { afterEach, expect, test, vi } from 'vitest';
import { runCommandLine } from '../src/command-line.ts';

const file = join(import.meta.dirname, 'fixtures/host.ts');

afterEach(() => {
  vi.restoreAllMocks();
});

interface Asked {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly options: CheckOptions | undefined;
}

/** What the engine is asked for, and what is made of an answer without findings. */
async function ask(line: string, proves: Proof): Promise<Asked> {
  const written = { out: '', err: '' };
  let asked: CheckOptions | undefined;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((written.out += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((written.err += String(text))));
  const code = await runCommandLine(
    ['node', 'nccl-ts', 'check', file, ...line.split(' ').filter(Boolean)],
    async (options) => {
      asked = options;
      return buildReport({ runs: [], proves });
    },
  );
  vi.restoreAllMocks();
  return { code, ...written, options: asked };
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
