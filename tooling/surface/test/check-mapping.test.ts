import { expect, test } from 'vitest';

import { mappingProblems } from '../src/check-mapping.ts';
import { leftOut, mapped, membersMapped, of, planned } from '../src/entry.ts';
import type { NcclSymbol } from '../src/surface.ts';

const symbols: readonly NcclSymbol[] = ['ncclTeam', 'ncclTeam::rank', 'ncclGin', 'NCCL_EXTERN_C'].map((name) => ({
  name,
  kind: 'struct',
  header: 'nccl_device/core.h',
}));
const packages = new Map([['topology', new Set(['Team', 'Team.rank'])]]);

const complete = [
  ...mapped({ ncclTeam: 'topology:Team' }),
  ...membersMapped('ncclTeam', 'topology:Team', 'rank'),
  ...planned('gin', 'callOptions', 'ncclGin'),
  ...leftOut('cLanguage', 'NCCL_EXTERN_C'),
];

test('a mapping with one entry for each symbol has no problem', () => {
  expect(mappingProblems(symbols, complete, packages)).toEqual([]);
});

test('a symbol without an entry is a problem', () => {
  const entries = complete.filter(({ symbol }) => symbol !== 'ncclGin');
  expect(mappingProblems(symbols, entries, packages)).toEqual(['ncclGin has no entry']);
});

test('a symbol with two entries, of any kinds, is a problem', () => {
  const entries = [...complete, ...leftOut('hostLibrary', 'ncclGin')];
  expect(mappingProblems(symbols, entries, packages)).toEqual(['ncclGin has 2 entries']);
});

test('an entry for a name that NCCL does not have is a problem', () => {
  const entries = [...complete, ...planned('gin', 'callOptions', of('ncclGin', 'putt'))];
  expect(mappingProblems(symbols, entries, packages)).toEqual(['ncclGin::putt is not a symbol of NCCL']);
});

test('a duplicate symbol in the list is a problem', () => {
  expect(mappingProblems([...symbols, ...symbols.slice(0, 1)], complete, packages)).toEqual([
    'ncclTeam is in the list twice',
  ]);
});

test.each([
  ['topology:Tem', 'but the API of topology does not have it'],
  ['topology:Team.size', 'but the API of topology does not have it'],
  ['topology:Team topology:team', 'but the API of topology does not have it'],
  ['gin:Gin', 'but packages/gin has no API report'],
  ['Team', 'but packages/Team has no API report'],
])('an unknown target is a problem: %s', (place, problem) => {
  const entries = [...complete.filter(({ symbol }) => symbol !== 'ncclTeam'), ...mapped({ ncclTeam: place })];
  const wrong = place.split(' ').at(-1);
  expect(mappingProblems(symbols, entries, packages)).toEqual([`ncclTeam is mapped to ${wrong}, ${problem}`]);
});

test('an empty target is a problem', () => {
  const entries = [...complete.filter(({ symbol }) => symbol !== 'ncclTeam'), ...mapped({ ncclTeam: '' })];
  expect(mappingProblems(symbols, entries, packages)).toEqual(['ncclTeam is mapped to nothing']);
});
