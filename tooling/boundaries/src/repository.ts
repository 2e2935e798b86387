import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The files that the rules check, by path from the root with forward slashes. It is a map, so that
 * tests can write one.
 */
export type Files = ReadonlyMap<string, string>;

const groups = ['packages', 'apps', 'tooling'];
/** The compiler's lists of everything to build and to check. */
const rootFiles = ['tsconfig.build.json', 'tsconfig.json'];
const readable = /\.(ts|mts|mjs|js|json|md)$/;
/** Fixtures are inputs of tests, and snapshots and reports are generated. */
const skipped = new Set([
  'node_modules',
  'dist',
  'coverage',
  'fixtures',
  'snapshots',
  '__snapshots__',
  'etc',
  '.turbo',
]);

/** Reads every source, test, manifest and README of the workspace's members. */
export function readRepository(root: string): Files {
  const files = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory() && !skipped.has(entry.name)) visit(path);
      if (entry.isFile() && readable.test(entry.name)) files.set(path, readFileSync(join(root, path), 'utf8'));
    }
  };
  for (const group of groups) visit(group);
  for (const path of rootFiles) {
    if (existsSync(join(root, path))) files.set(path, readFileSync(join(root, path), 'utf8'));
  }
  return files;
}
