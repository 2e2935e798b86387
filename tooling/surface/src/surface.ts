import { readFileSync } from 'node:fs';

/**
 * The kind of a name in C++. A template is a separate kind, and the overloads of a name are one
 * symbol.
 */
export const symbolKinds = [
  'macro',
  'enum',
  'enum value',
  'typedef',
  'typedef template',
  'struct',
  'struct template',
  'member',
  'method',
  'function',
  'function template',
] as const;

export type SymbolKind = (typeof symbolKinds)[number];

/** A public name of NCCL. */
export interface NcclSymbol {
  /** Members and methods with their owner: `ncclTeam::rank`. */
  readonly name: string;
  readonly kind: SymbolKind;
  /** The first header that declares it, as a program would include it. */
  readonly header: string;
}

/** All public names of one NCCL version. */
export interface Surface {
  readonly version: string;
  readonly tag: string;
  readonly commit: string;
  readonly symbols: readonly NcclSymbol[];
}

/** Reads `surface.json`. Throws an Error if it does not have the form that README.md describes. */
export function readSurface(path: string): Surface {
  const file: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const text = (key: string): string => {
    const value = property(file, key);
    if (typeof value !== 'string') throw new Error(`${path}: "${key}" is not a string`);
    return value;
  };
  const symbols = entries(property(file, 'headers')).flatMap(([header, byKind]) =>
    entries(byKind).flatMap(([kind, names]) => {
      const known = symbolKinds.find((each) => each === kind);
      if (known === undefined) throw new Error(`${path}: ${header} has the kind "${kind}"`);
      if (!Array.isArray(names)) throw new Error(`${path}: ${header}, ${kind} is not a list`);
      return names.map((name): NcclSymbol => ({ name: String(name), kind: known, header }));
    }),
  );
  return { version: text('version'), tag: text('tag'), commit: text('commit'), symbols };
}

function entries(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function property(value: unknown, key: string): unknown {
  return entries(value).find(([name]) => name === key)?.[1];
}
