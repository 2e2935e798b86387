import { describe, expect, test } from 'vitest';
import { ALL_RUNS, type Fate } from '../src/fate.ts';
import type { Ledger, LedgerSubject } from '../src/ledger.ts';
import { mergeOutcomes } from '../src/merge-outcomes.ts';
import type { Equivalence } from '../src/outcome.ts';
import { outcomeOf } from '../src/outcome-of.ts';
import type { SubjectRecord } from '../src/record.ts';
import { scoreOf } from '../src/score.ts';

const shape = { ranks: 2, lsaSize: 2 };
const killed: Fate = { kind: 'killed', by: 'race', how: 'late:1', tried: 1 };

/** A program of one kernel, whose mutants have these fates. */
function program(subject: string, ...fates: readonly (Fate | undefined)[]): LedgerSubject {
  const mutants = fates.map((fate, i) => ({
    id: `sync#${i + 1}:sync-removed`,
    operator: 'sync-removed' as const,
    does: 'The sync is removed.',
    ...(fate !== undefined && { fate }),
  }));
  return { subject, shape, seconds: 1, kernels: [{ kernel: 'k', mutants, rejected: 0, repeated: 0 }] };
}

function ledger(...subjects: readonly LedgerSubject[]): Ledger {
  return { trials: ['late:1'], subjects };
}

function outcomes(...subjects: readonly LedgerSubject[]): readonly SubjectRecord[] {
  return subjects.flatMap((one) => outcomeOf(one) ?? []);
}

describe('the results of a campaign', () => {
  const before = outcomes(program('gone', killed), program('b', killed), program('a', killed));

  test('replace earlier ones, in the order of the programs', () => {
    const merged = mergeOutcomes(['a', 'b', 'c'], before, ledger(program('c', killed), program('b', killed, killed)));
    expect(merged.map(({ subject, kernels }) => [subject, kernels[0]?.verdicts])).toEqual([
      ['a', 'k'],
      ['b', 'kk'],
      ['c', 'k'],
    ]);
  });

  test('keep earlier ones of a program with unknown results, and none of one without mutants', () => {
    const merged = mergeOutcomes(['a', 'b'], before, ledger(program('b', killed, undefined), program('a')));
    expect(merged.map(({ subject, kernels }) => [subject, kernels[0]?.verdicts])).toEqual([['b', 'k']]);
  });
});

test('count mutants that die during exploration as killed, apart from those that die in a trial', () => {
  const [outcome] = outcomes(
    program('a', killed, { kind: 'killed', by: 'race', how: ALL_RUNS, tried: 4 }, { kind: 'unreached' }),
  );
  expect(outcome?.kernels[0]).toMatchObject({ verdicts: 'ka-', killedBy: { race: 2 } });
  expect(scoreOf(outcome === undefined ? [] : [outcome])).toMatchObject({ killed: 2, unknown: 0, atLeast: 1 });
});

describe('a survivor counts as equivalent', () => {
  const size = { ...shape, ctas: 2, threads: 2 };
  const survived = (equivalence: Equivalence): Fate => ({ kind: 'survived', tried: 4, equivalence });

  test.each<[string, string, Equivalence]>([
    ['only unknown where one run of the checker stands for all', 'o', { kind: 'exhaustive', size, schedules: 1 }],
    ['where all executions were gone through', 'g', { kind: 'exhaustive', size, schedules: 90 }],
    ['not by a program of one rank', 's', { kind: 'exhaustive', size: { ...size, ranks: 1 }, schedules: 90 }],
    ['where PTX has one fence', 'e', { kind: 'same fence' }],
    ['not without a proof', 'u', { kind: 'unproven', why: 'no proof was tried' }],
  ])('a survivor counts as equivalent %s', (_, letter, equivalence) => {
    const [outcome] = outcomes(program('a', killed, survived(equivalence)));
    expect(outcome?.kernels[0]?.verdicts).toBe(`k${letter}`);
    const isShown = letter === 'g' || letter === 'e';
    expect(scoreOf(outcome === undefined ? [] : [outcome])).toMatchObject({
      equivalent: isShown ? 1 : 0,
      unknown: isShown ? 0 : 1,
      atLeast: isShown ? 1 : 1 / 2,
    });
  });

  test('a survivor gets the verdict of the survivor that does more', () => {
    const less: Equivalence = { kind: 'less than', of: 'sync#1:sync-removed', size };
    const [explored] = outcomes(program('a', survived({ kind: 'exhaustive', size, schedules: 90 }), survived(less)));
    const [own] = outcomes(program('a', survived({ kind: 'exhaustive', size, schedules: 1 }), survived(less)));
    expect([explored?.kernels[0]?.verdicts, own?.kernels[0]?.verdicts]).toEqual(['gm', 'ol']);
  });
});
