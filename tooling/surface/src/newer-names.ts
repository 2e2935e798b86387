import { readFileSync } from 'node:fs';

/** The names that are new in NCCL after a version. */
export interface NewerNames {
  readonly after: string;
  /** The number of names of the surface that existed before. */
  readonly kept: number;
  readonly names: readonly string[];
}

/** Reads `newer.json`. Throws an Error if it does not have that form. */
export function readNewerNames(path: string): NewerNames {
  const file: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (typeof file !== 'object' || file === null || !('after' in file) || !('kept' in file) || !('names' in file)) {
    throw new Error(`${path} must have after, kept and names`);
  }
  const { after, kept, names } = file;
  if (typeof after !== 'string' || typeof kept !== 'number' || !Array.isArray(names)) {
    throw new Error(`${path}: after is a text, kept a number, and names a list`);
  }
  return { after, kept, names: names.map(String) };
}
