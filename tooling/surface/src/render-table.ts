import { count, countsText, tally, type Counts } from './count.ts';
import type { Entry } from './entry.ts';
import { planReasons, reasons } from './reasons.ts';
import type { Surface } from './surface.ts';

/**
 * Renders the counts of the mapping as Markdown: by header, then planned symbols by package, and
 * omitted ones by reason. The planned symbols of a package in `there` may already exist.
 */
export function renderTable(surface: Surface, entries: readonly Entry[], there: ReadonlySet<string>): string {
  const headers = [...new Set(surface.symbols.map(({ header }) => header))];
  const rows = headers.map((header) => {
    const symbols = surface.symbols.filter((symbol) => symbol.header === header);
    return row(`\`${header}\``, count(symbols, entries));
  });
  const all = count(surface.symbols, entries);
  const plannedIn = tally(entries, (entry) => (entry.status === 'planned' ? entry.in : ''));
  const plannedBecause = tally(entries, (entry) => (entry.status === 'planned' ? entry.because : ''));
  const leftOutFor = tally(entries, (entry) => (entry.status === 'left out' ? entry.reason : ''));
  const gaps = entries.flatMap((entry) =>
    entry.status === 'mapped' && entry.lacks !== undefined ? [`| \`${entry.symbol}\` | ${entry.lacks} |`] : [],
  );
  return [
    `NCCL ${surface.version} (${surface.tag}), ${countsText(all)}`,
    '',
    '| header | symbols | mapped | of them lack something | planned | left out |',
    '|---|--:|--:|--:|--:|--:|',
    ...rows,
    row('all', all),
    '',
    '| planned in | symbols | package |',
    '|---|--:|---|',
    ...[...plannedIn]
      .filter(([name]) => name !== '')
      .map(([name, symbols]) => `| \`${name}\` | ${symbols} | ${there.has(name) ? 'is there' : 'to come'} |`),
    '',
    '| planned | symbols | because |',
    '|---|--:|---|',
    ...Object.entries(planReasons).map(
      ([reason, text]) => `| ${reason} | ${plannedBecause.get(reason) ?? 0} | ${text} |`,
    ),
    '',
    '| left out | symbols | because |',
    '|---|--:|---|',
    ...Object.entries(reasons).map(([reason, text]) => `| ${reason} | ${leftOutFor.get(reason) ?? 0} | ${text} |`),
    '',
    '| mapped | and lacks |',
    '|---|---|',
    ...gaps,
  ].join('\n');
}

function row(name: string, { symbols, mapped, lacking, planned, leftOut }: Counts): string {
  return `| ${[name, symbols, mapped, lacking, planned, leftOut].join(' | ')} |`;
}
