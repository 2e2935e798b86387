import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { machines, traceOfProfile } from '@nccl-ts/cost-model';
import { expect, inject, test } from 'vitest';
import { predictCollective } from '../src/predict/predict-collective.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const folder = join(import.meta.dirname, '../../../profiles');
const read = (file: string): object => {
  const value: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  if (typeof value !== 'object' || value === null) throw new TypeError(`${file} has no object.`);
  return value;
};

test.each(readdirSync(folder))('the profile %s has every parameter, in its unit', (file) => {
  expect(traceOfProfile(read(file)).nvlink?.loadLatency).toBeGreaterThan(0);
});

test('the named machines are those of the profiles', () => {
  const profiles = readdirSync(folder).map((file) => [file.replace(/\.json$/, ''), traceOfProfile(read(file))]);
  expect(machines).toEqual(Object.fromEntries(profiles));
});

test.each([
  ['another version', { version: 2 }],
  ['no parameters', { parameters: {} }],
  ['another unit', { parameters: { 'memory.cachedLatency': { value: 1, unit: 'us' } } }],
])('a profile with %s is refused', (_name, change) => {
  expect(() => traceOfProfile({ ...read('h200-nvlink4.json'), ...change })).toThrow(
    expect.objectContaining({ code: 'NCCL_INVALID_ARGUMENT' }),
  );
});

test.for(slow)(
  'a small AllReduce with flags is predicted to cost one launch, one load and one trip, not a trip for each thread',
  async () => {
    const trace = traceOfProfile(read('h200-nvlink4.json'));
    const us = await predictCollective({ program: 'all_reduce', bytes: 1024, ranks: 2 }, trace);
    expect(us).toBeGreaterThan(1.5);
    expect(us).toBeLessThan(4);
  },
);
