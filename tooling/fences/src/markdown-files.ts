import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownFiles } from '@nccl-ts/prose';
import { fencesOf, type Fence } from './fence.ts';

/** Files that become part of other files: changesets, and pages of the project template. */
const elsewhere = /^\.changeset\/|\/template\//;

/** Every block of code in the pages that people read, by file. */
export function allFences(root: string): readonly Fence[] {
  return markdownFiles()
    .filter((file) => !elsewhere.test(file) && existsSync(join(root, file)))
    .toSorted()
    .flatMap((file) => fencesOf(file, readFileSync(join(root, file), 'utf8')));
}
