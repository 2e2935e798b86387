import { offsetAt, type Source } from '@nccl-ts/ir';
import type { Edit } from '../../edits.ts';
import type { NeededName } from '../strengthening.ts';
import type { AuthorFile } from './author-program.ts';

/** How a function of the author writes a name of the device API. */
export interface DeviceName {
  readonly text: string;
  /** Present if the function does not take it yet. */
  readonly needed?: NeededName;
}

/**
 * Returns how the function from which `source` was captured writes names of the device API.
 * `undefined` if its first parameter is not found in the file.
 */
export function deviceNames(source: Source, { path, text }: AuthorFile): ((name: string) => DeviceName) | undefined {
  const location = source.locate?.(0);
  const from = location?.file === path ? offsetAt(text, location.line, location.column) : undefined;
  if (from === undefined) return undefined;
  const found = /\(\s*(?:(\{)|([\w$]+))/u.exec(text.slice(from));
  if (found === null) return undefined;
  const [matched, brace, parameter] = found;
  if (brace === undefined) return (name) => ({ text: `${parameter ?? ''}.${name}` });
  const open = from + found.index + matched.length - 1;
  const taken = new Set(text.slice(open + 1, text.indexOf('}', open)).match(/[\w$]+/gu));
  return (name) => (taken.has(name) ? { text: name } : { text: name, needed: { name, brace: open } });
}

/** The edits by which functions take the names that they need. */
export function namesEdits(needed: readonly NeededName[]): readonly Edit[] {
  const byBrace = new Map<number, Set<string>>();
  for (const { name, brace } of needed) byBrace.set(brace, (byBrace.get(brace) ?? new Set()).add(name));
  return [...byBrace].map(([start, names]) => ({
    span: { start, end: start + 1 },
    with: `{ ${[...names].join(', ')},`,
  }));
}
