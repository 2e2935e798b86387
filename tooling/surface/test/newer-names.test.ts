import { join } from 'node:path';

import { expect, test } from 'vitest';

import { mapping } from '../src/mapping.ts';
import { readNewerNames } from '../src/newer-names.ts';
import type { Row } from '../src/rows/row.ts';
import { rows } from '../src/rows/rows.ts';
import { readSurface } from '../src/surface.ts';

const newer = readNewerNames(join(import.meta.dirname, '../newer.json'));
const surface = readSurface(join(import.meta.dirname, '../surface.json'));

test('the list of newer names covers every public name that is not older', () => {
  const names = new Set(surface.symbols.map(({ name }) => name));
  expect(newer.names.filter((name) => !names.has(name))).toEqual([]);
  // A name of a newer version is counted here until `newer.json` lists it.
  expect(names.size - newer.names.length).toBe(newer.kept);
});

test('every newer name that is mapped has a test', () => {
  const listed = new Set(newer.names);
  const mapped = mapping.filter(({ symbol, status }) => status === 'mapped' && listed.has(symbol));
  const isTested = ({ cases, tests }: Row): boolean => cases.length + Object.keys(tests).length > 0;
  const tested = new Set(rows.filter(isTested).flatMap(({ names }) => names));
  expect(mapped.map(({ symbol }) => symbol).filter((symbol) => !tested.has(symbol))).toEqual([]);
});
