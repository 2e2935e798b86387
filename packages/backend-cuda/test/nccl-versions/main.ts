import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { hasNvcc, standInFlags, standInHeaders } from '../support/nvcc.ts';
import { compileRow, type Headers, type RowResult } from './compile-row.ts';
import { codeOf, ncclInclude, tableVersions } from './nccl-install.ts';
import { versionTable, withTable } from './version-table.ts';
import { versionRows } from './version-rows.ts';

/*
 * Compiles the CUDA text of the device API's calls against the headers of several versions of NCCL,
 * and writes the table of the README. The first argument is the directory of the virtual
 * environments; the default is the temporary directory.
 */
const readme = join(import.meta.dirname, '../../README.md');
const root = process.argv[2] ?? tmpdir();

if (!hasNvcc()) throw new Error('There is no nvcc on PATH, which the table needs.');

const standIn: Headers = {
  ncclVersion: 23203,
  include: standInHeaders,
  flags: standInFlags(23203),
};
const columns: readonly (readonly [string, Headers])[] = [
  ...tableVersions.map(
    (version) => [version, { ncclVersion: codeOf(version), include: ncclInclude(root, version), flags: [] }] as const,
  ),
  ['stand-ins', standIn],
];

const rows = versionRows.map(({ title, kernels, standIns }) => ({
  title,
  results: columns.map(([name, headers]): RowResult | undefined => {
    if (headers === standIn && !standIns) return undefined;
    const result = compileRow(kernels, headers);
    process.stdout.write(`${title}, ${name}: ${result.kind}\n`);
    if (result.kind === 'fails') {
      process.stderr.write(`${result.kernel}:\n${result.messages}\n`);
      process.exitCode = 1;
    }
    return result;
  }),
}));
const table = versionTable(
  columns.map(([name]) => name),
  rows,
);
writeFileSync(readme, withTable(readFileSync(readme, 'utf8'), table));
