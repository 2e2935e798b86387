import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { mapping } from '../src/mapping.ts';
import { newerNameTests, newerParameterTests, readNewerNames, type Evidence } from '../src/newer-names.ts';
import { readSurface } from '../src/surface.ts';

const root = join(import.meta.dirname, '../../..');
const newer = readNewerNames(join(import.meta.dirname, '../newer.json'));
const surface = readSurface(join(import.meta.dirname, '../surface.json'));

/** The text of all cases and bug classes of the conformance suite. */
function conformanceText(folder: string): string {
  const path = join(root, 'packages/conformance/src', folder);
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(path, name), 'utf8'))
    .join('\n');
}

test('the list of newer names covers every public name that is not older', () => {
  const names = new Set(surface.symbols.map(({ name }) => name));
  expect(newer.names.filter((name) => !names.has(name))).toEqual([]);
  // A name of a newer version is counted here until `newer.json` lists it.
  expect(names.size - newer.names.length).toBe(newer.kept);
});

test('exactly the newer names that are mapped have a test', () => {
  const listed = new Set(newer.names);
  const mapped = mapping.filter(({ symbol, status }) => status === 'mapped' && listed.has(symbol));
  expect(mapped.map(({ symbol }) => symbol).toSorted()).toEqual(Object.keys(newerNameTests).toSorted());
});

test('every test that names a newer name exists', () => {
  const [cases, classes] = [conformanceText('cases'), conformanceText('bug-classes')];
  const isThere = (one: Evidence): boolean => {
    if ('case' in one) return cases.includes(`'${one.case}'`);
    if ('program' in one) return classes.includes(`'${one.program}'`);
    return existsSync(join(root, one.file)) && readFileSync(join(root, one.file), 'utf8').includes(one.title);
  };
  const tests = Object.entries({ ...newerNameTests, ...newerParameterTests });
  const absent = tests.flatMap(([name, evidence]) => (evidence.length > 0 && evidence.every(isThere) ? [] : [name]));
  expect(absent).toEqual([]);
});
