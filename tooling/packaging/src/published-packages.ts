import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { property, textAt } from '@nccl-ts/fences';

/** An entry of a package: a key of its `exports`, and the built files to which it resolves. */
export interface PackageEntry {
  readonly name: string;
  readonly types: string;
  readonly script: string;
}

/** A package that a release publishes: one of `packages/*` or `apps/*` that is not private. */
export interface PublishedPackage {
  /** The last part of its path. */
  readonly directory: string;
  readonly folder: string;
  /** From the root: `packages/kernel`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly manifest: unknown;
  readonly readme: string;
  readonly entries: readonly PackageEntry[];
  /** The names of its commands. */
  readonly commands: readonly string[];
}

/** Every package that a release publishes, in alphabetical order of paths. */
export function publishedPackages(root: string): readonly PublishedPackage[] {
  return ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(root, group))
      .filter((directory) => existsSync(join(root, group, directory, 'package.json')))
      .toSorted()
      .map((directory) => publishedPackage(root, group, directory))
      .filter(({ manifest }) => property(manifest, 'private') !== true),
  );
}

function publishedPackage(root: string, group: string, directory: string): PublishedPackage {
  const folder = join(root, group, directory);
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const readme = join(folder, 'README.md');
  return {
    directory,
    folder,
    path: `${group}/${directory}`,
    name: textAt(manifest, 'name') ?? '',
    version: textAt(manifest, 'version') ?? '',
    manifest,
    readme: existsSync(readme) ? readFileSync(readme, 'utf8') : '',
    entries: entriesOf(folder, manifest),
    commands: keysOf(property(manifest, 'bin')),
  };
}

function entriesOf(folder: string, manifest: unknown): readonly PackageEntry[] {
  const exported = property(manifest, 'exports');
  return keysOf(exported).flatMap((name) => {
    const types = textAt(exported, name, 'types');
    const script = textAt(exported, name, 'default');
    // A plain string, such as "./package.json", is data and has no interface.
    if (types === undefined || script === undefined) return [];
    return [{ name, types: join(folder, types), script: join(folder, script) }];
  });
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/** The packages that the README's line `npm install` names, or `undefined` if it has none. */
export function installLine(readme: string): readonly string[] | undefined {
  const [, words] = /^npm install (.+)$/m.exec(readme) ?? [];
  return words?.split(/\s+/).filter((word) => !word.startsWith('-'));
}
