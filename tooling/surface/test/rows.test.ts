import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { allCases } from '@nccl-ts/conformance';
import { describe, expect, it } from 'vitest';

import { mapping } from '../src/mapping.ts';
import { rowsText } from '../src/rows/rows-text.ts';
import { parts, rows } from '../src/rows/rows.ts';

const root = join(import.meta.dirname, '../../..');
const known: readonly string[] = allCases.map(({ id }) => id);

/** The ids of cases that a pattern names: a star stands for any part of a name. */
function casesOf(pattern: string): readonly string[] {
  const form = new RegExp(`^${pattern.replaceAll('*', '[^/]*')}$`);
  return known.filter((id) => form.test(id));
}

/** The text of all bug classes of the conformance suite. */
function bugClassText(): string {
  const folder = join(root, 'packages/conformance/src/bug-classes');
  const files = readdirSync(folder, { encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

describe('the rows of the device API', () => {
  it('are different, and name public names of NCCL or a feature without one', () => {
    const texts = rows.map(({ names, form }) => [...names, form].join(' '));
    expect(new Set(texts).size).toBe(texts.length);
    const symbols = new Set(mapping.map(({ symbol }) => symbol));
    expect(rows.flatMap(({ names }) => names).filter((name) => !symbols.has(name))).toEqual([]);
    expect(rows.filter(({ names, form, here }) => names.length === 0 && (!form || !here))).toEqual([]);
  });

  it('have a test or a reason for none, and so do the traps', () => {
    const isTested = rows.map(({ cases, tests, none }) => cases.length + Object.keys(tests).length > 0 || none);
    expect(rows.filter((_, i) => !isTested[i])).toEqual([]);
    const traps = rows.flatMap((row) => Object.entries(row.traps));
    expect(traps.filter(([, cases]) => cases.length === 0)).toEqual([]);
    expect(rows.flatMap((row) => Object.values(row.silent)).filter((reason) => reason === '')).toEqual([]);
  });

  it('that have a case also have a name here', () => {
    const mapped = new Set(mapping.flatMap(({ symbol, status }) => (status === 'mapped' ? [symbol] : [])));
    const tested = rows.filter(({ cases, names }) => cases.length > 0 && names.length > 0);
    expect(tested.filter(({ names }) => !names.every((name) => mapped.has(name)))).toEqual([]);
  });

  it('name existing cases, each case once, and every trap', () => {
    const lists = rows.flatMap(({ cases, traps }) => [cases, ...Object.values(traps)]);
    expect(lists.flat().filter((pattern) => casesOf(pattern).length === 0)).toEqual([]);
    for (const list of lists) {
      const ids = list.flatMap(casesOf);
      expect(new Set(ids).size).toBe(ids.length);
    }
    const traps = new Set(rows.flatMap((row) => Object.values(row.traps).flat(2).flatMap(casesOf)));
    expect(known.filter((id) => id.startsWith('traps/') && !traps.has(id))).toEqual([]);
  });

  it('name existing programs of bug classes, and existing tests', () => {
    const classes = bugClassText();
    const programs = rows.flatMap((row) => row.programs);
    expect(programs.filter((program) => !classes.includes(`'${program}'`))).toEqual([]);
    const tests = rows.flatMap((row) => Object.entries(row.tests));
    const isThere = (file: string, title: string): boolean =>
      existsSync(join(root, file)) && readFileSync(join(root, file), 'utf8').includes(title);
    expect(tests.filter(([file, title]) => !isThere(file, title))).toEqual([]);
  });

  it('are listed in ROWS.md (npm run rows writes it)', async () => {
    await expect(rowsText(parts, mapping)).toMatchFileSnapshot('../ROWS.md');
  });
});
