import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { property, textAt } from '@nccl-ts/fences';

/** A package that a release publishes. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  /** From the root. */
  readonly folder: string;
  readonly readme: string;
  /** What a program may import: `@nccl-ts/kernel`, `@nccl-ts/conformance/vitest`. */
  readonly entries: readonly string[];
  readonly commands: readonly string[];
  readonly manifest: unknown;
}

/** Every package that is not private, by the order of their folders. */
export function publishedPackages(root: string): readonly PublishedPackage[] {
  return ['packages', 'apps', 'tooling'].flatMap((group) =>
    readdirSync(join(root, group))
      .toSorted()
      .flatMap((directory): readonly PublishedPackage[] => {
        const folder = `${group}/${directory}`;
        const path = join(root, folder, 'package.json');
        if (!existsSync(path)) return [];
        const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
        if (property(manifest, 'private') === true) return [];
        const readme = join(root, folder, 'README.md');
        const name = textAt(manifest, 'name') ?? folder;
        const exported = entriesOf(property(manifest, 'exports'));
        return [
          {
            name,
            version: textAt(manifest, 'version') ?? '',
            folder,
            readme: existsSync(readme) ? readFileSync(readme, 'utf8') : '',
            commands: entriesOf(property(manifest, 'bin')).map(([command]) => command),
            entries: exported
              .filter(([, target]) => typeof target === 'object')
              .map(([entry]) => `${name}${entry.slice(1)}`),
            manifest,
          },
        ];
      }),
  );
}

/** The packages that the README's line `npm install` names, or undefined where there is no such line. */
export function installLine(readme: string): readonly string[] | undefined {
  const [, words] = /^npm install (.+)$/m.exec(readme) ?? [];
  return words?.split(/\s+/).filter((word) => !word.startsWith('-'));
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
