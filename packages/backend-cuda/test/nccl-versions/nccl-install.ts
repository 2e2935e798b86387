import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The versions in the table, all from Python's package registry. */
export const tableVersions = ['2.28.3', '2.28.9', '2.29.7', '2.30.7', '2.31.2', '2.32.3'] as const;

export type TableVersion = (typeof tableVersions)[number];

/** Returns the code of a version: 23203 for 2.32.3. */
export function codeOf(version: TableVersion): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return major * 10_000 + minor * 100 + patch;
}

/**
 * Returns the directory of a version's headers, in a virtual environment under `root`, which is
 * created if it is missing. The headers stay there, so that none of them enters the repository.
 */
export function ncclInclude(root: string, version: TableVersion): string {
  const environment = join(root, `nccl-${version}`);
  const found = includeOf(environment);
  if (found !== undefined) return found;
  mkdirSync(root, { recursive: true });
  execFileSync('python3', ['-m', 'venv', environment], { stdio: 'inherit' });
  const pip = join(environment, 'bin/pip');
  execFileSync(pip, ['install', '--quiet', '--no-deps', `nvidia-nccl-cu13==${version}`], { stdio: 'inherit' });
  const made = includeOf(environment);
  if (made === undefined) throw new Error(`nvidia-nccl-cu13 ${version} has no nccl.h where it is expected.`);
  return made;
}

function includeOf(environment: string): string | undefined {
  const lib = join(environment, 'lib');
  if (!existsSync(lib)) return undefined;
  return readdirSync(lib)
    .map((python) => join(lib, python, 'site-packages/nvidia/nccl/include'))
    .find((include) => existsSync(join(include, 'nccl.h')));
}
