import type { SurfaceEntry } from './entry.ts';
import type { PublicNames } from './public-api.ts';
import type { NcclSymbol } from './surface.ts';

/**
 * The problems of a mapping, with one line each: symbols without an entry or with two, entries
 * without a symbol, and files that do not exist. Empty if the mapping covers the symbols exactly.
 */
export function mappingProblems(
  symbols: readonly NcclSymbol[],
  entries: readonly SurfaceEntry[],
  packages: ReadonlyMap<string, PublicNames>,
): readonly string[] {
  const known = new Set(symbols.map(({ name }) => name));
  const counts = new Map<string, number>();
  for (const { symbol } of entries) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  return [
    ...repeated(symbols.map(({ name }) => name)).map((name) => `${name} is in the list twice`),
    ...[...known].filter((name) => !counts.has(name)).map((name) => `${name} has no entry`),
    ...[...counts].filter(([, count]) => count > 1).map(([name, count]) => `${name} has ${count} entries`),
    ...[...counts.keys()].filter((name) => !known.has(name)).map((name) => `${name} is not a symbol of NCCL`),
    ...entries.flatMap((entry) => packageProblems(entry, packages)),
  ];
}

function packageProblems(entry: SurfaceEntry, packages: ReadonlyMap<string, PublicNames>): readonly string[] {
  if (entry.status !== 'mapped') return [];
  if (entry.to.length === 0) return [`${entry.symbol} is mapped to nothing`];
  return entry.to.flatMap((place) => {
    const [name = '', path = ''] = place.split(/:(.*)/s);
    const names = packages.get(name);
    if (names === undefined) return [`${entry.symbol} is mapped to ${place}, but packages/${name} has no API report`];
    return names.has(path) ? [] : [`${entry.symbol} is mapped to ${place}, but the API of ${name} does not have it`];
  });
}

function repeated(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.has(name) || !seen.add(name));
}
