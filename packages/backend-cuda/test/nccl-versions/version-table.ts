import type { RowResult } from './compile-rows.ts';

/** A row of the table. An undefined cell was not compiled. */
export interface TableRow {
  readonly title: string;
  readonly results: readonly (RowResult | undefined)[];
}

const begin = '<!-- nccl-versions: begin -->';
const end = '<!-- nccl-versions: end -->';

/** Returns the table as Markdown. */
export function versionTable(columns: readonly string[], rows: readonly TableRow[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['', ...columns]),
    `|---|${columns.map(() => '---|').join('')}`,
    ...rows.map(({ title, results }) => line([title, ...results.map(cell)])),
  ].join('\n');
}

/** Returns the text with the table between its marks. @throws Error if there are no marks */
export function withTable(text: string, table: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The text has no place for the table: ${begin} and ${end}.`);
  return `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`;
}

function cell(result: RowResult | undefined): string {
  switch (result?.kind) {
    case undefined:
      return '';
    case 'compiles':
      return '✓';
    case 'lacks':
      return `refused: since ${result.since}`;
    case 'fails':
      return 'fails';
  }
}
