import { join } from 'node:path';
import { parseChoices } from '@nccl-ts/backend-sim';
import type { CheckOptions } from '@nccl-ts/checker';
import { buildReport, type Finding, type Proof } from '@nccl-ts/findings';
import { afterEach, expect, test, vi } from 'vitest';
import type { CheckEngine } from '../src/check/check-engine.ts';
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

/** Runs the command with a fake engine, and keeps its output. */
async function run([name = '', ...line]: readonly string[], engine: CheckEngine): Promise<Omit<Asked, 'options'>> {
  const written = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((written.out += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((written.err += String(text))));
  const file = join(import.meta.dirname, 'fixtures', name);
  const code = await runCommandLine(['node', 'nccl-ts', 'check', file, ...line], engine);
  vi.restoreAllMocks();
  return { code, ...written };
}

/** Returns the request to the engine, for a result without findings. */
async function ask(line: string, proves: Proof): Promise<Asked> {
  let options: CheckOptions | undefined;
  const printed = await run(
    ['host.ts', ...line.split(' ').filter(Boolean)],
    async ({ onPhase, onFinding, ...asked }) => {
      options = asked;
      expect([typeof onPhase, typeof onFinding]).toEqual(['function', 'function']);
      return buildReport({ runs: [], proves });
    },
  );
  return { ...printed, options };
}

const machine = { ranks: 4, lsaSize: 4, residentCtas: 132, strict: false };

test.for<readonly [string, CheckOptions]>([
  ['', { ...machine, strategy: 'auto', seed: 1 }],
  ['--seed 5', { ...machine, strategy: 'auto', seed: 5 }],
  ['--strategy random', { ...machine, strategy: 'random', schedules: 10, seed: 1 }],
  [
    '-n 8 --lsa-size 2 --strategy pct --depth 5 --schedules 3 --seed 7 --strict --resident-ctas 1 --fuel 99',
    { ranks: 8, lsaSize: 2, residentCtas: 1, fuel: 99, strict: true, strategy: 'pct', depth: 5, schedules: 3, seed: 7 },
  ],
  ['--exhaustive', { ...machine, strategy: 'exhaustive' }],
  ['--exhaustive --bound 1000', { ...machine, strategy: 'exhaustive', bound: 1000 }],
  ['--replay 0.1.2 --seed 3', { ...machine, strategy: 'replay', replay: '0.1.2', seed: 3 }],
])('check %s passes these options to the engine', async ([line, options]) => {
  const asked = await ask(line, { kind: 'all schedules', count: 12 });
  expect(asked.err).toBe('');
  const { time, ...others } = asked.options ?? {};
  expect(others).toEqual(options);
  expect(time).toBeGreaterThan(100);
  expect(time).toBeLessThanOrEqual(120);
  expect(asked.out).toMatch(/\n\nclean: no findings, 0 accesses checked; this holds for every schedule of this input/);
  expect(asked.code).toBe(0);
});

test('a reached bound is not clean, and has its own exit code', async () => {
  const { code, out } = await ask('--exhaustive --bound 10', { kind: 'nothing', bound: '10 executions' });
  expect(out).toMatch(/\n\nincomplete: no findings, .*; the check is not complete: 10 executions\n$/);
  expect(code).toBe(3);
});

test.for(['', '--strategy late', '--exhaustive', '--replay r:0'])('check allows --time with %s', async (strategy) => {
  const bound = 'the time limit was reached';
  const { code, out, options } = await ask(`${strategy} --time 2.5`, { kind: 'nothing', bound });
  expect(options?.time).toBeGreaterThan(2);
  expect(options?.time).toBeLessThanOrEqual(2.5);
  expect(out).toMatch(/\n\nincomplete: no findings, .*; the check is not complete: the time limit was reached\n$/);
  expect(code).toBe(3);
});

const launches = ['hands.ts', 'hands', '-n', '2', '--arg', 'count=8'];
const portfolio: Proof = { kind: 'portfolio', parts: [{ what: 'late', count: 3 }], seed: 1 };

test('check runs each sequence of a kernel, and reports the weakest proof', async () => {
  const proofs: readonly Proof[] = [
    { kind: 'all schedules', count: 1 },
    portfolio,
    { kind: 'all schedules', count: 4 },
  ];
  let at = 0;
  const { code, out } = await run(launches, async () =>
    buildReport({ runs: [{ findings: [], accesses: 10 }], proves: proofs[at++] ?? portfolio }),
  );
  expect(at).toBe(3);
  expect(out).toMatch(/\n {2}once \(one launch\): clean; this holds for every schedule/);
  expect(out).toMatch(
    /\n {2}repeat \(3 consecutive launches on one stream\): clean; 3 schedules of 1 strategy were run \(seed 1\)/,
  );
  expect(out).toMatch(
    /\n {2}sizes \(3 consecutive launches on one stream, with count 8, 4, 8\): clean; this holds for every/,
  );
  expect(out).toMatch(
    /\n\nclean: no findings, 30 accesses checked; 3 schedules of 1 strategy were run \(seed 1\), others may/,
  );
  expect(code).toBe(0);
});

const wrong: Finding = {
  kind: 'misuse',
  severity: 'error',
  message: 'wrong',
  labels: [],
  missing: [],
  certainty: 'this schedule',
  schedule: { strategy: 'late', seed: 1 },
};

test('check stops at the first sequence with an error', async () => {
  let runs = 0;
  const { code, out } = await run(launches, async () => {
    const findings = ++runs === 2 ? [wrong] : [];
    return buildReport({ runs: [{ findings, accesses: 1 }], proves: portfolio });
  });
  expect(runs).toBe(2);
  expect(out).toContain(
    '\n  sizes (3 consecutive launches on one stream, with count 8, 4, 8): not run, because repeat has an error\n',
  );
  expect(out).toContain('error[misuse]: wrong\n  = sequence: repeat: 3 consecutive launches on one stream\n');
  expect(code).toBe(1);
});

test('a sequence without time left is incomplete', async () => {
  const asked: (number | undefined)[] = [];
  vi.spyOn(performance, 'now').mockImplementation(() => 1500 * asked.length);
  const { code, out } = await run([...launches, '--time', '2'], async ({ time }) => {
    asked.push(time);
    return buildReport({ runs: [], proves: portfolio });
  });
  expect(asked).toEqual([2, 0.5]);
  expect(out).toMatch(
    /\n {2}sizes \(.*\): incomplete; the check is not complete: the time limit of 2 s was reached before it began; /,
  );
  expect(out).toMatch(/\n\nincomplete: no findings/);
  expect(code).toBe(3);
});

test('--exhaustive reports the first error before it continues', async () => {
  const { err, out } = await run([...launches, '--sequence', 'once', '--exhaustive'], async ({ onFinding }) => {
    onFinding?.({ ...wrong, severity: 'note' });
    onFinding?.(wrong);
    onFinding?.(wrong);
    return buildReport({ runs: [{ findings: [wrong], accesses: 1 }], proves: { kind: 'all schedules', count: 1 } });
  });
  expect(err).toBe('found: misuse: wrong; the check goes on\n');
  expect(out).toMatch(/\n\nmisuse: 1 error, /);
});

test('shrinking reduces the list of choices after the sizes', async () => {
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

test('JSON has the shrunk launch too', async () => {
  const { code, out } = await ask('--exhaustive --json', { kind: 'nothing', bound: '10 executions' });
  expect(JSON.parse(out)).toMatchObject({ verdict: 'incomplete', proves: { kind: 'nothing', bound: '10 executions' } });
  expect(code).toBe(3);
});

test.for<readonly [string, RegExp]>([
  ['--exhaustive --schedules 3', /--exhaustive explores every schedule, so that --schedules has no effect/],
  ['--exhaustive --strategy pct', /so that --strategy has no effect/],
  ['--exhaustive --replay 0', /so that --replay has no effect/],
  ['--replay 0 --schedules 2', /--replay runs one schedule, so that --schedules has no effect/],
  ['--replay 0 --sequence once,repeat', /--replay runs one schedule of one sequence/],
  ['--depth 2', /--depth needs --strategy pct, but the strategy is auto/],
  [
    '--schedules 2',
    /--schedules needs --strategy random, pct, late or hasty; --strategy auto, the default, runs a fixed number/,
  ],
  ['--bound 2', /--bound needs --exhaustive/],
  ['--time 0', /It must be a number of seconds above 0/],
  ['--sequence twice', /There is no sequence "twice"; there are once, repeat, sizes, streams/],
  ['--sequence once', /--sequence is for a kernel, and this runs the function host/],
  ['--wrap 8', /It must be 16, 31 or 32/],
  ['--wrap 31', /--wrap is for a kernel/],
  ['--wrap-window win', /--wrap-window needs --wrap/],
  ['--update-baseline', /--update-baseline needs --baseline/],
  ['--watch --json', /--watch prints text reports until you stop it, so that --json has no effect/],
  ['--baseline nowhere.json', /--baseline nowhere\.json: ENOENT.*--update-baseline makes one/],
  ['--lsa-size 3', /must divide the number of ranks, 4/],
  ['--strategy exhaustive', /Allowed choices are auto, random, pct, late, hasty/],
  ['--shrink', /--shrink is for a kernel, and this runs the function host/],
  ['--arg x=1', /--arg is for a kernel, and this runs the function host/],
  ['nix', /--kernel nix: there is no such kernel/],
])('check refuses %s', async ([line, message]) => {
  const { code, out, err, options } = await ask(line, { kind: 'all schedules', count: 1 });
  expect(err).toMatch(message);
  expect(out).toBe('');
  expect(options).toBeUndefined();
  expect(code).toBe(2);
});
