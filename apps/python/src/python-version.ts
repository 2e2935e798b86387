import { spawnSync } from 'node:child_process';

/** The version of a Python as 311 for 3.11; `undefined` if there is none. */
export function pythonVersion(python: string): number | undefined {
  const script = 'import sys; print(100 * sys.version_info[0] + sys.version_info[1])';
  const { status, stdout } = spawnSync(python, ['-c', script], { encoding: 'utf8' });
  return status === 0 ? Number(stdout.trim()) : undefined;
}
