import { readFileSync } from 'node:fs';
import { sep } from 'node:path';

/** The text of a file that its author may change; `undefined` for one of an installed package. */
export function authorText(path: string): string | undefined {
  return path.split(sep).includes('node_modules') ? undefined : readFileSync(path, 'utf8');
}
