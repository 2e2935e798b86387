import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { root } from './folders.ts';

/** The module that defines a name, and its name there. */
interface NameOrigin {
  readonly file: string;
  readonly name: string;
}

/**
 * Redirects imports from packages to the files that define the names, instead of `index.ts`. The
 * bundler splits by file: a file that is reached through a package's index comes with everything
 * that any importer needs of that package. The packages' modules have no side effects, so the
 * programs behave the same.
 */
export const pastIndexes: Plugin = {
  name: 'past-indexes',
  setup: (bundler) => {
    bundler.onLoad({ filter: /(?:packages\/[^/]+\/src|apps\/site\/page)\/.*\.ts$/ }, ({ path }) => ({
      contents: pastIndexesOf(readFileSync(path, 'utf8')),
      loader: 'ts',
      resolveDir: dirname(path),
    }));
  },
};

/** The text of a module, with its named imports from the packages rewritten. */
export function pastIndexesOf(text: string): string {
  return text.replaceAll(
    /^(import|export) \{([^}]*)\} from '((?:@nccl-ts\/[a-z0-9-]+|nccl-ts))';$/gm,
    (statement, word: string, names: string, specifier: string) => {
      const index = `${root}packages/${specifier.replace('@nccl-ts/', '')}/src/index.ts`;
      if (!existsSync(index)) return statement;
      const origins = originsOf(index);
      // Type names are still imported from the index; the bundler drops them.
      const parts = specifiersOf(names).map(({ name, as }) => {
        const origin = origins.get(name);
        return origin === undefined
          ? `${word} { ${name} as ${as} } from '${specifier}';`
          : `${word} { ${origin.name} as ${as} } from ${JSON.stringify(origin.file)};`;
      });
      return parts.join(' ');
    },
  );
}

const known = new Map<string, ReadonlyMap<string, NameOrigin>>();

/** The values that an index re-exports. */
function originsOf(index: string): ReadonlyMap<string, NameOrigin> {
  const before = known.get(index);
  if (before !== undefined) return before;
  const origins = new Map<string, NameOrigin>();
  for (const [, names = '', from = ''] of readFileSync(index, 'utf8').matchAll(
    /^export \{([^}]*)\} from '([^']+)';$/gm,
  )) {
    if (!from.startsWith('.')) continue;
    const file = join(dirname(index), from);
    const inner = file.endsWith('/index.ts') ? originsOf(file) : undefined;
    for (const { name, as } of specifiersOf(names)) origins.set(as, inner?.get(name) ?? { file, name });
  }
  known.set(index, origins);
  return origins;
}

/** Parses `a, b as c, type D`, and drops the types. */
function specifiersOf(names: string): readonly { readonly name: string; readonly as: string }[] {
  return names
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && !one.startsWith('type '))
    .map((one) => {
      const [name = '', as = name] = one.split(/\s+as\s+/);
      return { name, as };
    });
}
