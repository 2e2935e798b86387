import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { byShape, problemsOf, runTransferCase, transferCases } from '@nccl-ts/conformance';
import { describe, expect, inject, test } from 'vitest';
import { expectClean } from './support/expect-clean.ts';

const timeout = 120_000;
/**
 * With NCCLTS_EVERY_CASE set, all cases run, and not one of five; more worlds are checked, and
 * each with more seeds.
 */
const every = inject('everyCase');
const sample = transferCases().filter((_, i) => every || i % 5 === 0);

describe('sends, puts and groups leave the right bytes', () => {
  test.each(byShape(sample).filter(({ shape }) => (shape.ranks === 2 && shape.lsaSize === 2) !== inject('slow')))(
    'on $shape.ranks ranks, $shape.lsaSize in a domain',
    { timeout },
    async ({ shape, cases }) => {
      await using world = await World.open({ backend: sim(shape) });
      expect(await problemsOf(world, cases, runTransferCase)).toEqual([]);
    },
  );
});

describe('sends, puts and groups are clean in check mode, in any order', () => {
  const chosen = transferCases().filter(({ ranks, lsaSize }) =>
    every ? ranks === 4 || lsaSize === 3 : ranks === 4 && lsaSize === 2,
  );
  const now = chosen.filter(({ program }) => (program === 'putToAll') !== inject('slow'));
  test.each(now)('$id', { timeout }, async (one) => {
    for (const seed of every ? [1, 2] : [1]) {
      await expectClean(one, runTransferCase, seed);
    }
  });
});
