import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pythonVersion } from './python-version.ts';

/** A virtual environment, or the reason why there is none. */
export type PythonEnvironment = { readonly python: string; readonly folder: string } | { readonly lacks: string };

/**
 * Makes the virtual environment for the tests of the wheel in the cache folder, with the packages
 * that it needs. It is kept between runs.
 */
export function pythonEnvironment(packages: readonly string[]): PythonEnvironment {
  const version = pythonVersion('python3');
  if (version === undefined || version < 310) return { lacks: 'there is no Python of 3.10 or later' };
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'nccl-ts-python');
  const python = join(folder, 'bin/python');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(python)) {
    const made = run('python3', ['-m', 'venv', folder]);
    if (made !== undefined) return { lacks: `no virtual environment could be made: ${made}` };
  }
  const installed = install(python, packages);
  return installed === undefined
    ? { python, folder }
    : { lacks: `pip could not install ${packages.join(', ')}: ${installed}` };
}

/** Installs packages or wheels. Returns the last line of an error. */
export function install(
  python: string,
  packages: readonly string[],
  options: readonly string[] = [],
): string | undefined {
  return run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...options, ...packages]);
}

function run(program: string, args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? `exit code ${status}`;
}
