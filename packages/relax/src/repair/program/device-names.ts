import { offsetAt, type Source } from '@nccl-ts/ir';
import type { Edit } from '../../edits.ts';
import type { NeededName } from '../strengthening.ts';
import type { AuthorFile } from '../../author-range.ts';

/** How a function of the author writes a name of the device API. */
export interface DeviceName {
  readonly text: string;
  /** Present if the function does not take it yet. */
  readonly needed?: NeededName;
}

/** The words of a function of the author for what its parameters bring. */
export interface DeviceNames {
  /** A name of the device API, which the first parameter brings. */
  readonly of: (name: string) => DeviceName;
  /** A parameter of the kernel, which the second one brings; `undefined` if it is not taken. */
  readonly parameter: (name: string) => string | undefined;
}

/**
 * The words of the function from which `source` was captured. `undefined` if its first parameter is
 * not found in the file.
 */
export function deviceNames(source: Source, { path, text }: AuthorFile): DeviceNames | undefined {
  const location = source.locate?.(0);
  const from = location?.file === path ? offsetAt(text, location.line, location.column) : undefined;
  if (from === undefined) return undefined;
  const found = PARAMETERS.exec(text.slice(from));
  if (found?.groups === undefined) return undefined;
  const { lead = '', first = '', second } = found.groups;
  const parameter = (name: string): string | undefined => {
    if (second?.startsWith('{') !== true) return second === undefined ? undefined : `${second}.${name}`;
    return new RegExp(`[{,]\\s*${name}\\s*(?::\\s*([\\w$]+)\\s*)?[,}]`, 'u')
      .exec(second)
      ?.slice(1)
      .concat(name)
      .find(Boolean);
  };
  if (!first.startsWith('{')) return { of: (name) => ({ text: `${first}.${name}` }), parameter };
  const open = from + found.index + lead.length;
  const taken = new Set(first.match(/[\w$]+/gu));
  return {
    of: (name) => (taken.has(name) ? { text: name } : { text: name, needed: { name, brace: open } }),
    parameter,
  };
}

/** The first two parameters of a function, each taken apart or not. */
const PARAMETERS = /(?<lead>\(\s*)(?<first>\{[^{}]*\}|[\w$]+)(?:\s*,\s*(?<second>\{[^{}]*\}|[\w$]+))?/u;

/** The edits by which functions take the names that they need. */
export function namesEdits(needed: readonly NeededName[]): readonly Edit[] {
  const byBrace = new Map<number, Set<string>>();
  for (const { name, brace } of needed) byBrace.set(brace, (byBrace.get(brace) ?? new Set()).add(name));
  return [...byBrace].map(([start, names]) => ({
    span: { start, end: start + 1 },
    with: `{ ${[...names].join(', ')},`,
  }));
}
