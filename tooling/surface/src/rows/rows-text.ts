import { markdownTable } from '@nccl-ts/core';

import type { SurfaceEntry } from '../entry.ts';
import type { Row } from './row.ts';

const introduction = `# NCCL's device API, row by row

The tests that hold every backend to each part of NCCL's device API, and the mistakes that NCCL describes but does not check.
Generated from \`src/rows\` and \`src/mapping\` by \`npm run rows\`; a test compares. A \`*\` stands for several cases.
`;

/** Renders `ROWS.md`. The places here are those of the mapping. */
export function rowsText(parts: Readonly<Record<string, readonly Row[]>>, mapping: readonly SurfaceEntry[]): string {
  const places = new Map(mapping.map((entry) => [entry.symbol, entry.status === 'mapped' ? entry.to : []]));
  const tables = Object.entries(parts).map(([title, rows]) => {
    const cells = rows.map((row) => [namesText(row), hereText(row, places), testsText(row), trapsText(row)]);
    return `## ${title}\n\n${markdownTable(['NCCL', 'here', 'tests', 'traps'], cells)}\n`;
  });
  return [introduction, ...tables].join('\n');
}

/** `ncclGin` is another name of the template whose members the list has. */
function namesText({ names, form }: Row): string {
  const text = names.map((name) => name.replaceAll('ncclGin_BackendMask', 'ncclGin')).join(', ');
  return [text, form].filter((part) => part !== undefined && part !== '').join(' ');
}

function hereText({ names, here }: Row, places: ReadonlyMap<string, readonly string[]>): string {
  const all = here === undefined ? names.flatMap((name) => places.get(name) ?? []) : [here];
  return [...new Set(all)].map(code).join(', ');
}

function testsText({ cases, programs, tests, none }: Row): string {
  const files = Object.entries(tests).map(([file, title]) => `${code(file)}: ${title}`);
  const because = none === undefined ? [] : [`none: ${none}`];
  return [...cases.map(code), ...programs.map(code), ...files, ...because].join(', ');
}

function trapsText({ traps, silent }: Row): string {
  return [
    ...Object.entries(traps).map(([trap, cases]) => `${trap}: ${cases.map(code).join(', ')}`),
    ...Object.entries(silent).map(([trap, reason]) => `${trap}: none: ${reason}`),
  ].join('<br>');
}

function code(text: string): string {
  return `\`${text}\``;
}
