import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const skipped = new Set(['node_modules', 'dist', 'snapshots', 'results', 'etc']);

/**
 * The packages that the files of a folder import by value, and those that they import only as
 * types. Type imports cannot change the behaviour of tests. The compiler checks everything each
 * time and reports mismatches.
 *
 * @param {string} folder
 * @returns {{ values: ReadonlySet<string>, types: ReadonlySet<string> }}
 */
export function importsByValue(folder) {
  /** @type {Set<string>} */
  const values = new Set();
  /** @type {Set<string>} */
  const types = new Set();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) {
      const below = importsByValue(path);
      for (const name of below.values) values.add(name);
      for (const name of below.types) types.add(name);
    } else if (/\.[cm]?[jt]sx?$/.test(entry.name)) {
      const found = importsOf(readFileSync(path, 'utf8'));
      for (const { name, isType } of found) (isType ? types : values).add(name);
    }
  }
  return { values, types };
}

/**
 * Lists the modules that a text names. `import { type A }` counts as an import by value, because it
 * loads the module. So does any other name in quotes, such as one for `import.meta.resolve`.
 *
 * @param {string} text
 * @returns {readonly { name: string, isType: boolean }[]}
 */
export function importsOf(text) {
  const typeImports = /\b(?:import|export)\s+type\s[^'"`;]*?\bfrom\s*(['"])((?:@[^/'"]+\/)?[^/'"]+)[^'"]*\1/g;
  const quoted = /(['"])((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^'"`\s]*)?\1/g;
  return [
    ...[...text.matchAll(typeImports)].map(([, , name = '']) => ({ name, isType: true })),
    ...[...text.replaceAll(typeImports, '').matchAll(quoted)].map(([, , name = '']) => ({ name, isType: false })),
  ];
}
