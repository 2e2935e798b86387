import { describe, expect, test } from 'vitest';
import { ALL_RUNS, type Fate } from '../src/fate.ts';
import type { Ledger, LedgerSubject } from '../src/ledger.ts';
import { mergeOutcomes } from '../src/merge-outcomes.ts';
import type { SubjectOutcome } from '../src/outcome.ts';
import { outcomeOf } from '../src/outcome-of.ts';
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

function outcomes(...subjects: readonly LedgerSubject[]): readonly SubjectOutcome[] {
  return subjects.flatMap((one) => outcomeOf(one) ?? []);
}

describe('what a campaign found', () => {
  const before = outcomes(program('gone', killed), program('b', killed), program('a', killed));

  test('takes the place of what was found before, in the order of the programs', () => {
    const merged = mergeOutcomes(['a', 'b', 'c'], before, ledger(program('c', killed), program('b', killed, killed)));
    expect(merged.map(({ subject, kernels }) => [subject, kernels[0]?.mutants])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 1],
    ]);
  });

  test('leaves what was found before of a program of which not all is known, and of one without mutants nothing', () => {
    const merged = mergeOutcomes(['a', 'b'], before, ledger(program('b', killed, undefined), program('a')));
    expect(merged.map(({ subject, kernels }) => [subject, kernels[0]?.mutants])).toEqual([['b', 1]]);
  });
});

test('what dies where everything is gone through is killed, and told from what dies in a trial', () => {
  const [outcome] = outcomes(
    program('a', killed, { kind: 'killed', by: 'race', how: ALL_RUNS, tried: 4 }, { kind: 'unreached' }),
  );
  expect(outcome?.kernels[0]).toMatchObject({ mutants: 2, killedBy: { race: 2 }, unreached: 1 });
  expect(outcome?.kernels[0]?.inAllRunsAlone).toEqual(['sync#2:sync-removed']);
  expect(scoreOf(outcome === undefined ? [] : [outcome])).toMatchObject({ killed: 2, unproven: 0, ratio: 1 });
});
