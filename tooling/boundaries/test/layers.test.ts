import { expect, test } from 'vitest';

import { importable, packageRules, tableProblems } from '../src/layers.ts';

test('every package imports only lower layers, and no backend but its own', () => {
  expect(tableProblems()).toEqual([]);
});

test('a row with an import of the same or a higher layer, a backend or an unknown package is a problem', () => {
  const { core, ir, topology } = packageRules;
  if (core === undefined || ir === undefined || topology === undefined) throw new Error('rows are missing');
  const rules = {
    core: { ...core, mayImport: ['ir'] },
    ir: { ...ir, mayImport: ['topology', 'backend-x'] },
    topology: { ...topology, mayImport: ['gone'] },
    'backend-x': core,
  };
  expect(tableProblems(rules)).toEqual([
    'core names ir, which is not below it',
    'ir names topology, which is not below it',
    'ir names backend-x, but only packages that are made for a backend may import it',
    'topology names gone, which is not in the table',
  ]);
});

test('a package that is made for a backend may import that one', () => {
  const { core } = packageRules;
  if (core === undefined) throw new Error('rows are missing');
  const above = { ...core, layer: 1, mayImport: ['backend-x', 'backend-y'], backend: 'backend-x' };
  expect(tableProblems({ above, 'backend-x': core, 'backend-y': core })).toEqual([
    'above names backend-y, but only packages that are made for a backend may import it',
  ]);
});

test('a package may import everything that its listed packages may import', () => {
  expect([...importable('devcomm')].toSorted()).toEqual(['core', 'ir', 'kernel', 'topology', 'window']);
  expect([...importable('communicator')]).not.toContain('lsa');
});
