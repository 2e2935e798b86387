import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface CreateProjectOptions {
  /**
   * The version of the packages in the project's dependencies, such as `0.1.0`, or a
   * range.
   *
   * @default this package's version and those compatible with it
   */
  readonly version?: string;
}

export interface CreatedProject {
  readonly folder: string;
  /** The name in its package.json: the folder's name, in a form that npm allows. */
  readonly name: string;
  /** Paths relative to the folder. */
  readonly files: readonly string[];
}

/**
 * Files with other names in the template: npm omits the first from packages, and tools that run
 * over this repository would read the second.
 */
const renamed: readonly (readonly [string, string])[] = [
  ['gitignore', '.gitignore'],
  ['oxlintrc.json', '.oxlintrc.json'],
];

/**
 * Writes a project into `folder`, which is created if it does not exist. The project has a kernel,
 * a program that runs it, a test that checks it for races, and a workflow that does so for every
 * change. It installs nothing.
 *
 * @throws Error if the folder already has files, which stay unchanged; the errors of the file
 * system.
 */
export async function createProject(folder: string, options: CreateProjectOptions = {}): Promise<CreatedProject> {
  const target = resolve(folder);
  await mkdir(target, { recursive: true });
  const there = (await readdir(target)).filter((name) => name !== '.git');
  if (there.length > 0) {
    throw new Error(
      `cannot create a project in ${folder} because it has files (${there.slice(0, 3).join(', ')}${there.length > 3 ? ', ...' : ''}); name a folder that is new or empty`,
    );
  }
  await cp(fileURLToPath(new URL('../template', import.meta.url)), target, { recursive: true });
  for (const [from, to] of renamed) await rename(join(target, from), join(target, to));
  const name = nameOf(basename(target));
  const version = options.version ?? `^${await ownVersion()}`;
  for (const file of ['package.json', 'README.md']) {
    const path = join(target, file);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replaceAll('PROJECT_NAME', name).replaceAll('NCCL_TS_VERSION', version));
  }
  const entries = await readdir(target, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1))
    .toSorted();
  return { folder: target, name, files };
}

/**
 * npm always allows lower-case letters, digits and `-`. Other characters of a folder's name become
 * `-`.
 */
function nameOf(folderName: string): string {
  const name = folderName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'kernels' : name;
}

async function ownVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  if (known && typeof manifest.version === 'string') return manifest.version;
  throw new Error('cannot tell the version of create-nccl-ts because its package.json has none; install it again');
}
