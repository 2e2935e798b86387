import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import {
  byShape,
  pairwiseCollectiveCases,
  problemsOf,
  runCollectiveCase,
  runGroupedCollectiveCase,
  type WorldShape,
} from '@nccl-ts/conformance';
import { describe, expect, inject, test } from 'vitest';
import { expectClean } from './support/expect-clean.ts';

/**
 * One of this many pairwise cases of an algorithm runs. With NCCLTS_EVERY_CASE set, all run, which
 * takes two minutes. A program in apps/bench runs the whole product.
 */
const step = inject('everyCase') ? 1 : 160;
const all = pairwiseCollectiveCases();
const seen = new Map<string, number>();
const sample = all.filter(({ collective, algorithm }) => {
  const kind = `${collective} ${algorithm}`;
  const before = seen.get(kind) ?? 0;
  seen.set(kind, before + 1);
  return before % step === 0;
});
const timeout = all.length * 2000;
/** The quick tests have the smallest world with a peer, and one of 16 of the others. */
const isNow = (_: unknown, i: number): boolean => (i % 16 === 10) !== inject('slow');
const isSmall = ({ shape: { ranks, lsaSize } }: { readonly shape: WorldShape }): boolean =>
  (ranks === 2 && lsaSize === 2) !== inject('slow');

describe('collectives equal a reference in f64, with the same bits on all ranks and in every run', () => {
  const shapes = byShape(sample).filter(isSmall);
  test.each(shapes)('on $shape.ranks ranks, $shape.lsaSize in a domain', { timeout }, async ({ shape, cases }) => {
    await using world = await World.open({ backend: sim(shape) });
    expect(await problemsOf(world, cases, runCollectiveCase)).toEqual([]);
  });
});

// Calls of a group have quick tests in packages/collectives.
describe.for(inject('slow') ? [0] : [])('collectives of a group equal the reference too', () => {
  const several = sample.filter(({ ranks, count }) => ranks > 1 && count > 0);
  test.each(byShape(several))(
    'on $shape.ranks ranks, $shape.lsaSize in a domain',
    { timeout },
    async ({ shape, cases }) => {
      await using world = await World.open({ backend: sim(shape) });
      expect(await problemsOf(world, cases, runGroupedCollectiveCase)).toEqual([]);
    },
  );
});

/** Collectives whose kernels of this kind a test of the package collectives runs. */
const knownElsewhere: readonly string[] = ['allReduce', 'allGather', 'reduceScatter', 'allToAll'];

describe('kernels as generated for CUDA: for a fixed number of ranks, in many CTAs', () => {
  const four = pairwiseCollectiveCases().filter(
    ({ collective, ranks, algorithm }) =>
      ranks === 4 && algorithm !== 'hierarchical' && (step === 1 || !knownElsewhere.includes(collective)),
  );
  const chosen = new Map(four.map((one) => [`${one.collective} ${one.algorithm}`, { ...one, count: 2053 }]));
  test.each([...chosen.values()].filter((_, i) => (i === 2) !== inject('slow')))(
    '$collective $algorithm',
    { timeout: 120_000 },
    async (one) => {
      const backend = sim({ ranks: 4 });
      const capabilities = { ...backend.capabilities, backend: 'cuda' };
      await using world = await World.open({ backend: { ...backend, capabilities } });
      expect(await runCollectiveCase(world, one)).toBeUndefined();
    },
  );
});

describe('collectives are clean in check mode', () => {
  // Each algorithm once in each kind of world, in place and out of place.
  const chosen = new Map(
    all
      .filter(({ count, ranks }) => count > 1 && count < 200 && ranks > 1 && ranks < 5)
      .map((one) => [`${one.collective} ${one.algorithm}${step === 1 ? ` ${one.inPlace}` : ''}`, one]),
  );
  test.each([...chosen.values()].filter(isNow))('$id', { timeout: 120_000 }, async (one) => {
    await expectClean(one, runCollectiveCase, 1);
  });
});
