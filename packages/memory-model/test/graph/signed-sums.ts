import * as fc from 'fast-check';
import type { Step } from './rising-flags.ts';

const amount = fc.constantFrom(-2, -1, -1, 1, 1, 2);
const data = { data: fc.nat(1), strong: fc.integer({ min: 0, max: 3 }).map((n) => n === 0), ordered: fc.boolean() };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add'), flag: fc.nat(1), release: fc.boolean(), amount }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      flags: fc.constantFrom([0], [1]),
      least: fc.integer({ min: 1, max: 2 }),
      exactly: fc.boolean(),
      atMost: fc.constantFrom(undefined, 0, 0, -1, 1),
      acquire: fc.boolean(),
    } as const),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('store', 'load'), ...data } as const) },
);

/** Two or three agents that add positive and negative amounts, and wait for sums. */
const signedSums: fc.Arbitrary<Step[][]> = fc.array(fc.array(step, { minLength: 2, maxLength: 5 }), {
  minLength: 2,
  maxLength: 3,
});

export const change = fc.constantFrom(
  'none',
  'none',
  'none',
  'none',
  'none',
  'weaker',
  'left out',
  'exactly',
  'doubled',
);

/**
 * Rounds of a barrier in which each of two agents adds one to its own word, subtracts one from its
 * peer's, and waits until its own word is at most zero. Some of the steps are changed.
 */
const signedRounds: fc.Arbitrary<Step[][]> = fc
  .record({ rounds: fc.integer({ min: 1, max: 2 }), changes: fc.array(change, { minLength: 20, maxLength: 20 }) })
  .map(({ rounds, changes }) =>
    [0, 1].map((rank) =>
      Array.from({ length: rounds }, (_, round) =>
        roundOf(rank, round).flatMap((step, i) => changed(step, changes[10 * rank + 5 * round + i] ?? 'none')),
      ).flat(),
    ),
  );

/**
 * Rounds of a barrier in which each of two agents stores the next of three values in its peer's
 * word, and waits until its own word has another value than that of the round before. Some of the
 * steps are changed.
 */
export const turningFlags: fc.Arbitrary<Step[][]> = fc
  .record({
    rounds: fc.integer({ min: 1, max: 3 }),
    changes: fc.array(change, { minLength: 20, maxLength: 20 }),
    /** The rank and round in which the word is read once more, as 3 * rank + round. */
    reads: fc.nat(11),
  })
  .map(({ rounds, changes, reads }) =>
    [0, 1].map((rank) =>
      Array.from({ length: rounds }, (_, round) =>
        turnOf(rank, round, reads === 3 * rank + round).flatMap((step, i) =>
          changed(step, changes[(9 * rank + 3 * round + i) % 20] ?? 'none'),
        ),
      ).flat(),
    ),
  );

function turnOf(rank: number, round: number, reads: boolean): readonly Step[] {
  // Words 0 and 1 are the flags.
  const read: Step = { kind: 'load', data: rank - 2, strong: true };
  const meet: readonly Step[] = [
    { kind: 'raise', flag: 1 - rank, strong: true, release: true, value: (round + 1) % 3 },
    { kind: 'wait', flags: [rank], least: 0, not: round % 3, acquire: true },
    ...(reads ? [read] : []),
  ];
  const data = round % 2;
  return rank === 0
    ? [{ kind: 'store', data, strong: false }, ...meet]
    : [...meet, { kind: 'load', data, strong: false }];
}

/** Programs of both kinds. */
export const signedPrograms: fc.Arbitrary<Step[][]> = fc.oneof(signedSums, signedRounds, signedRounds);

function roundOf(rank: number, round: number): readonly Step[] {
  const meet: readonly Step[] = [
    { kind: 'add', flag: rank, release: true },
    { kind: 'add', flag: 1 - rank, release: true, amount: -1 },
    { kind: 'wait', flags: [rank], least: 0, atMost: 0, acquire: true },
  ];
  const data = round % 2;
  return rank === 0
    ? [{ kind: 'store', data, strong: false }, ...meet]
    : [...meet, { kind: 'load', data, strong: false }];
}

export function changed(step: Step, how: string): readonly Step[] {
  if (how === 'left out') return [];
  if ((step.kind === 'add' || step.kind === 'raise') && how === 'weaker') return [{ ...step, release: false }];
  if (step.kind === 'add' && how === 'doubled') return [{ ...step, amount: 2 * (step.amount ?? 1) }];
  if (step.kind === 'wait' && how === 'weaker') return [{ ...step, acquire: false }];
  if (step.kind === 'wait' && how === 'exactly' && step.atMost !== undefined)
    return [{ ...step, atMost: undefined, exactly: true }];
  if (step.kind === 'wait' && how === 'doubled') return [{ ...step, keeps: true }];
  return [step];
}
