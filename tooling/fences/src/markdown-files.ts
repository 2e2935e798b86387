import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fencesOf, type Fence } from './fence.ts';

/** Where nothing is written by hand for readers of today. */
const skipped = new Set([
  'node_modules',
  'dist',
  'etc',
  'fixtures',
  'snapshots',
  'template',
  'CHANGELOG.md',
  'ROWS.md',
]);

/** Every Markdown file of the repository that people read, from its root. */
export function markdownFiles(root: string): readonly string[] {
  const found = readdirSync(root).filter((name) => name.endsWith('.md') && !skipped.has(name));
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (skipped.has(entry.name)) continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.name.endsWith('.md')) found.push(path);
    }
  };
  for (const folder of ['docs', 'packages', 'apps', 'tooling']) {
    if (existsSync(join(root, folder))) visit(folder);
  }
  return found.toSorted();
}

/** Every block of code in them. */
export function allFences(root: string): readonly Fence[] {
  return markdownFiles(root).flatMap((file) => fencesOf(file, readFileSync(join(root, file), 'utf8')));
}
