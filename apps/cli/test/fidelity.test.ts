import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fidelityGroups, fidelityPage } from '../src/explain/fidelity-page.ts';

const root = join(import.meta.dirname, '../../..');

test('the reference page equals the ledger of fidelity', async () => {
  await expect(fidelityPage()).toMatchFileSnapshot('../../../docs/reference/fidelity.md');
});

test('every test that an exact row names exists', () => {
  const tests = fidelityGroups().flatMap(({ rows }) =>
    rows.flatMap(({ fidelity }) => ('test' in fidelity && fidelity.test !== undefined ? [fidelity.test] : [])),
  );
  expect(tests.length).toBeGreaterThan(100);
  expect([...new Set(tests)].filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('no construct has two rows in one group', () => {
  for (const { title, rows } of fidelityGroups()) {
    const names = rows.map(({ construct }) => construct);
    expect({ title, count: new Set(names).size }).toEqual({ title, count: names.length });
  }
});
