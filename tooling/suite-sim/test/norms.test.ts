import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { byShape, normCases, problemsOf, runNormCase } from '@nccl-ts/conformance';
import { describe, expect, inject, test } from 'vitest';
import { expectClean } from './support/expect-clean.ts';

const timeout = 120_000;
/** With NCCLTS_EVERY_CASE set, all are checked. */
const every = inject('everyCase');
/** The quick tests have one world, and one of the checks. */
const isNow = (_: unknown, i: number): boolean => (i === 1) !== inject('slow');

describe('allReduceRMSNorm equals a reference in f64', () => {
  test.each(byShape(normCases()).filter(isNow))('on $shape.ranks ranks', { timeout }, async ({ shape, cases }) => {
    await using world = await World.open({ backend: sim(shape) });
    expect(await problemsOf(world, cases, runNormCase)).toEqual([]);
  });
});

describe('allReduceRMSNorm is clean in check mode', () => {
  const chosen = normCases().filter(({ id }) => every || /^(threeRanks|manyRows|rowScales)/.test(id));
  test.each(chosen.filter((_, i) => (i === 0) !== inject('slow')))('$id', { timeout }, async (one) => {
    await expectClean(one, runNormCase, 1);
  });
});
