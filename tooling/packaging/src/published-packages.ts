import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One way into a package: a key of its `exports` and the built files it leads to. */
export interface Entry {
  readonly name: string;
  readonly types: string;
  readonly script: string;
}

/** A package that is published: one of `packages/*`. */
export interface PublishedPackage {
  readonly directory: string;
  readonly folder: string;
  readonly entries: readonly Entry[];
}

/** Every package under `packages/` with its entry points, in alphabetical order. */
export function publishedPackages(root: string): readonly PublishedPackage[] {
  return readdirSync(join(root, 'packages'))
    .filter((directory) => existsSync(join(root, 'packages', directory, 'package.json')))
    .toSorted()
    .map((directory) => {
      const folder = join(root, 'packages', directory);
      return { directory, folder, entries: entriesOf(folder) };
    });
}

function entriesOf(folder: string): readonly Entry[] {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries(property(manifest, 'exports') ?? {}).flatMap(([name, target]) => {
    const types: unknown = property(target, 'types');
    const script: unknown = property(target, 'default');
    // A plain string, such as "./package.json", is data and has no interface.
    if (typeof types !== 'string' || typeof script !== 'string') return [];
    return [{ name, types: join(folder, types), script: join(folder, script) }];
  });
}

function property(value: unknown, key: string): object | string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' || (typeof found === 'object' && found !== null) ? found : undefined;
}
