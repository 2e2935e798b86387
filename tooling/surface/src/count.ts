import type { SurfaceEntry } from './entry.ts';
import type { NcclSymbol } from './surface.ts';

/** The number of symbols by outcome. */
export interface Counts {
  readonly symbols: number;
  readonly mapped: number;
  /** The number of mapped symbols that lack a feature of NCCL. */
  readonly lacking: number;
  readonly planned: number;
  readonly leftOut: number;
}

/** The counts for `symbols`. Entries for other symbols do not count. */
export function count(symbols: readonly NcclSymbol[], entries: readonly SurfaceEntry[]): Counts {
  const names = new Set(symbols.map(({ name }) => name));
  const theirs = entries.filter(({ symbol }) => names.has(symbol));
  const where = (holds: (entry: SurfaceEntry) => boolean): number => theirs.filter(holds).length;
  return {
    symbols: symbols.length,
    mapped: where(({ status }) => status === 'mapped'),
    lacking: where((entry) => entry.status === 'mapped' && entry.lacks !== undefined),
    planned: where(({ status }) => status === 'planned'),
    leftOut: where(({ status }) => status === 'left out'),
  };
}

/** The number of `items` with each key, in the order in which keys first occur. */
export function tally<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

/** Formats the counts as one line: `766 symbols: 263 mapped (10 of them lack something), ...`. */
export function countsText({ symbols, mapped, lacking, planned, leftOut }: Counts): string {
  return `${symbols} symbols: ${mapped} mapped (${lacking} of them lack something), ${planned} planned, ${leftOut} left out`;
}
