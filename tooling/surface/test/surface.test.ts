import { join } from 'node:path';

import { NCCL_VERSION } from '@nccl-ts/core';
import { expect, test } from 'vitest';

import { mappingProblems } from '../src/check-mapping.ts';
import { count, countsText } from '../src/count.ts';
import { mapping } from '../src/mapping.ts';
import { publicNames } from '../src/public-api.ts';
import { planReasons, reasons } from '../src/reasons.ts';
import { readSurface } from '../src/surface.ts';

const surface = readSurface(join(import.meta.dirname, '../surface.json'));

test('the list has the NCCL version of the packages', () => {
  const { major, minor, patch } = NCCL_VERSION;
  expect(surface.version).toBe(`${major}.${minor}.${patch}`);
});

test('every public name of NCCL is mapped, planned, or left out for a reason', () => {
  const packages = publicNames(join(import.meta.dirname, '../../..'));
  console.log(`NCCL ${surface.version}, ${countsText(count(surface.symbols, mapping))}`);
  expect(mappingProblems(surface.symbols, mapping, packages)).toEqual([]);
});

test('every entry counts once, and every reason has a name', () => {
  const { symbols, mapped, planned, leftOut } = count(surface.symbols, mapping);
  expect(mapped + planned + leftOut).toBe(symbols);
  const given = new Set(mapping.flatMap((entry) => (entry.status === 'left out' ? [entry.reason] : [])));
  expect([...given].toSorted()).toEqual(Object.keys(reasons).toSorted());
  const plans = new Set(mapping.flatMap((entry) => (entry.status === 'planned' ? [entry.because] : [])));
  expect([...plans].toSorted()).toEqual(Object.keys(planReasons).toSorted());
});

test("the list contains neither NCCL's text nor private names", () => {
  for (const { name } of surface.symbols) {
    expect(name).toMatch(/^(\w+::)*(~?\w+|operator ?[\w+\-=!|&]+)$/);
    expect(name).not.toMatch(/_internal\b|::_|_$/);
  }
});
