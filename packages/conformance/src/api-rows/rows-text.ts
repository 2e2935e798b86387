import type { ApiPart } from './api-rows.ts';
import type { ApiRow, ApiTrap, Open } from './api-row.ts';

const introduction = `# NCCL's device API, row by row

Which conformance cases hold every backend to which part of NCCL's device API (2.30.7), and what is known to go wrong there.
Generated from \`src/api-rows\` by \`npm run rows\`; a test compares.
`;

/** The text of \`ROWS.md\`. */
export function rowsText(parts: readonly ApiPart[]): string {
  const tables = parts.map(({ title, rows }) => {
    const lines = rows.map((row) => `| ${cellsOf(row).map(escaped).join(' | ')} |`);
    return [`## ${title}`, '', '| row | NCCL | here | cases | traps |', '|---|---|---|---|---|', ...lines, ''].join(
      '\n',
    );
  });
  return [introduction, ...tables].join('\n');
}

function cellsOf(row: ApiRow): readonly string[] {
  const { id, nccl, here, traps = [] } = row;
  return [id, nccl, here, coverage(row), traps.map((trap) => `${trap.trap}: ${coverage(trap)}`).join('<br>')];
}

function coverage({ cases, open }: Pick<ApiTrap, 'cases' | 'open'>): string {
  const names = cases.map((id) => `\`${id}\``).join(', ');
  return open === undefined ? names : [names, reasonOf(open)].filter((part) => part !== '').join('; ');
}

function reasonOf(open: Open): string {
  return 'planned' in open ? `planned: ${open.planned}` : `none: ${open.because}`;
}

function escaped(cell: string): string {
  return cell.replaceAll('|', String.raw`\|`);
}
