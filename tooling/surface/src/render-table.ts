import { markdownTable } from '@nccl-ts/core';

import { count, countsText, tally, type Counts } from './count.ts';
import type { SurfaceEntry } from './entry.ts';
import { planReasons, reasons } from './reasons.ts';
import type { Surface } from './surface.ts';

/**
 * Renders the counts of the mapping as Markdown: by header, then planned symbols by package, and
 * omitted ones by reason. The planned symbols of a package in `there` may already exist.
 */
export function renderTable(surface: Surface, entries: readonly SurfaceEntry[], there: ReadonlySet<string>): string {
  const headers = [...new Set(surface.symbols.map(({ header }) => header))];
  const rows = headers.map((header) => {
    const symbols = surface.symbols.filter((symbol) => symbol.header === header);
    return countCells(`\`${header}\``, count(symbols, entries));
  });
  const all = count(surface.symbols, entries);
  const plannedIn = tally(entries, (entry) => (entry.status === 'planned' ? entry.in : ''));
  const plannedBecause = tally(entries, (entry) => (entry.status === 'planned' ? entry.because : ''));
  const leftOutFor = tally(entries, (entry) => (entry.status === 'left out' ? entry.reason : ''));
  const gaps = entries.flatMap((entry) =>
    entry.status === 'mapped' && entry.lacks !== undefined ? [[`\`${entry.symbol}\``, entry.lacks]] : [],
  );
  const packages = [...plannedIn]
    .filter(([name]) => name !== '')
    .map(([name, symbols]) => [`\`${name}\``, String(symbols), there.has(name) ? 'is there' : 'to come']);
  const reasonCells = (texts: Readonly<Record<string, string>>, counts: ReadonlyMap<string, number>) =>
    Object.entries(texts).map(([reason, text]) => [reason, String(counts.get(reason) ?? 0), text]);
  const isNumber = (column: number): boolean => column === 1;
  return [
    `NCCL ${surface.version} (${surface.tag}), ${countsText(all)}`,
    markdownTable(
      ['header', 'symbols', 'mapped', 'of them lack something', 'planned', 'left out'],
      [...rows, countCells('all', all)],
      (column) => column > 0,
    ),
    markdownTable(['planned in', 'symbols', 'package'], packages, isNumber),
    markdownTable(['planned', 'symbols', 'because'], reasonCells(planReasons, plannedBecause), isNumber),
    markdownTable(['left out', 'symbols', 'because'], reasonCells(reasons, leftOutFor), isNumber),
    markdownTable(['mapped', 'and lacks'], gaps),
  ].join('\n\n');
}

function countCells(name: string, { symbols, mapped, lacking, planned, leftOut }: Counts): readonly string[] {
  return [name, ...[symbols, mapped, lacking, planned, leftOut].map(String)];
}
