import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { hasNvcc, standInFlags, standInHeaders } from '../support/nvcc.ts';
import { compileRows, type Headers, type RowResult } from './compile-rows.ts';
import { compileSuite } from './compile-suite.ts';
import { codeOf, ncclInclude, tableVersions } from './nccl-install.ts';
import { versionTable, withTable } from './version-table.ts';
import { versionRows } from './version-rows.ts';

/*
 * Compiles the CUDA text of the device API's calls against the headers of several versions of NCCL,
 * and writes the table of the README. With --suite it compiles all kernels of the conformance suite
 * instead. The first other argument is the directory of the
 * virtual environments; the default is the temporary directory.
 *
 * With NCCL's own headers, a call of a function that is declared but not defined is an error. The
 * declarations that replace them have no definitions. Of NCCL's networks only the host's proxy is
 * compiled: all of them have the same calls, and the others take most of the time.
 */
const readme = join(import.meta.dirname, '../../README.md');
const words = process.argv.slice(2);
const root = words.find((word) => word !== '--suite') ?? tmpdir();

if (!hasNvcc()) throw new Error('There is no nvcc on PATH, which the table needs.');

const standIn: Headers = {
  ncclVersion: 23203,
  include: standInHeaders,
  flags: ['-ptx', ...standInFlags(23203)],
};
const others = ['GDAKI', 'GPI', 'EFA_GDA'].map((network) => `-DNCCL_GIN_${network}_ENABLE=0`);
const ownFlags = ['-ptx', '-diag-error', '114', ...others];
const own = tableVersions.map((version): readonly [string, Headers] => [
  version,
  { ncclVersion: codeOf(version), include: ncclInclude(root, version), flags: ownFlags },
]);

if (words.includes('--suite')) compileSuites();
else writeTable();

function compileSuites(): void {
  for (const [name, headers] of own) {
    const { compiled, refused, failed } = compileSuite(headers, (left) => {
      process.stderr.write(`NCCL ${name}: ${left} kernels left\n`);
    });
    process.stdout.write(`NCCL ${name}: ${compiled} compiled, ${refused.size} refused, ${failed.size} failed\n`);
    for (const [kernel, message] of failed) process.stdout.write(`${kernel} fails:\n${message}\n`);
    for (const [message, kernels] of byMessage(refused)) {
      process.stdout.write(`  ${kernels.length} refused: ${message}\n`);
    }
    if (failed.size > 0) process.exitCode = 1;
  }
}

/** The kernels by the message with which they are refused, without the kernel's name. */
function byMessage(refused: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [kernel, message] of refused) {
    const plain = message.replaceAll(`'${kernel}' `, '');
    found.set(plain, [...(found.get(plain) ?? []), kernel]);
  }
  return found;
}

function writeTable(): void {
  const results = new Map<string, ReadonlyMap<string, RowResult>>();
  for (const [name, headers] of [...own, ['stand-ins', standIn] as const]) {
    const rows = versionRows.filter(({ standIns }) => headers !== standIn || standIns);
    const column = new Map(compileRows(rows, headers).map((result, i) => [rows[i]?.title ?? '', result]));
    results.set(name, column);
    for (const [title, result] of column) {
      process.stdout.write(`${title}, ${name}: ${result.kind}\n`);
      if (result.kind !== 'fails') continue;
      process.stderr.write(`${result.messages}\n`);
      process.exitCode = 1;
    }
  }
  const names = [...results.keys()];
  const table = versionTable(
    names,
    versionRows.map(({ title }) => ({ title, results: names.map((name) => results.get(name)?.get(title)) })),
  );
  writeFileSync(readme, withTable(readFileSync(readme, 'utf8'), table));
}
