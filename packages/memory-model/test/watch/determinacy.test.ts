import * as fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import {
  appliedWords,
  changedRounds,
  explored,
  mixedWaits,
  risingFlags,
  type Step,
  type WaitStep,
} from '../graph/rising-flags.ts';
import { passedFlags } from '../graph/passed-flags.ts';
import { signedPrograms, turningFlags } from '../graph/signed-sums.ts';
import { determinateRun } from './determinate-run.ts';

const seed = 20261122;
/**
 * Programs that take long; with NCCLTS_EVERY_CASE set, three times as many. The quick tests have
 * few.
 */
const most = inject('everyCase') ? 150 : 50;
const many = inject('slow') ? 150 : 50;

describe('a run that represents all others', () => {
  test.each(
    (
      [
        ['flags and data', fc.oneof(risingFlags, mixedWaits, changedRounds), most],
        ['words that all make into the next one', appliedWords, many],
        ['sums of positive and negative amounts', signedPrograms, many],
        ['flags that take the same values again', turningFlags, many],
        ['flags that another agent raises again', passedFlags, many],
      ] as const
    ).filter((_, i) => i > 2 || inject('slow')),
  )('has no other outcome, no race and no blocked thread: %s', (_, all, programsOf) => {
    const counted = { clean: 0, certain: 0, raced: 0, executions: 0 };
    fc.assert(
      fc.property(all, fc.infiniteStream(fc.nat()), (programs, stream) => {
        const { raced, ended, doubt } = determinateRun(programs, (able) => {
          const next: unknown = stream.next().value;
          return able[typeof next === 'number' ? next % able.length : 0] ?? 0;
        });
        if (!ended) return;
        if (!raced) counted.clean++;
        if (doubt !== undefined) return;
        if (raced) counted.raced++;
        else counted.certain++;
        const { sets, complete, executions } = explored(programs, { waits: 'all', runs: 2_000 });
        fc.pre(complete);
        if (raced) {
          expect(sets['races']).not.toEqual([]);
          return;
        }
        counted.executions += executions;
        expect({ races: sets['races'], blocked: sets['blocked'] }).toEqual({ races: [], blocked: [] });
        expect(sets['results']).toHaveLength(1);
        expect(sets['finals']).toHaveLength(1);
      }),
      { seed, numRuns: Number(process.env['NCCLTS_PROGRAMS'] ?? programsOf) },
    );
    // Many runs are clean, and many of these represent all others.
    expect(counted.certain).toBeGreaterThan(counted.clean / 4);
    expect(counted.executions).toBeGreaterThan(counted.certain);
    // If a run has a race, that race exists.
    expect(counted.raced).toBeGreaterThan(counted.certain / 4);
  });
});

const store = (data: number, how: boolean | 'release' = false): Step => ({
  kind: 'store',
  data,
  strong: how !== false,
  ordered: how === 'release',
});
const load = (data: number, how: boolean | 'acquire' = false): Step => ({
  kind: 'load',
  data,
  strong: how !== false,
  ordered: how === 'acquire',
});
const raised = (flag: number): Step => ({ kind: 'raise', flag, strong: true, release: false });
const raise = (flag: number): Step => ({ kind: 'raise', flag, strong: true, release: true });
const add = (flag: number, amount = 1): Step => ({ kind: 'add', flag, release: true, amount });
const wait = (flag: number, least: number, how: Partial<WaitStep> = {}): Step => ({
  kind: 'wait',
  flags: [flag],
  least,
  acquire: true,
  ...how,
});

/** The first agent runs as far as it can, and then the next. */
const first = (able: readonly number[]): number => able[0] ?? 0;

describe('possible divergence', () => {
  test.each<[string, readonly (readonly Step[])[], string | undefined]>([
    [
      'none of a flag',
      [
        [store(0), raise(0)],
        [wait(0, 1), load(0)],
      ],
      undefined,
    ],
    ['none of a flag that is raised again', [[raise(0), raise(0)], [wait(0, 1)]], undefined],
    ['none of a sum that takes all', [[add(0)], [add(0)], [wait(0, 2)]], undefined],
    ['none of what a flag is alone', [[raise(0)], [wait(0, 1, { exactly: true, keeps: true })]], undefined],
    [
      'none of one value of a flag that goes on behind the wait',
      [
        [raise(0), wait(1, 1), raise(0)],
        [wait(0, 1, { exactly: true, keeps: true }), raise(1), wait(0, 2, { exactly: true })],
      ],
      undefined,
    ],
    ['none of flags by themselves', [[raise(0)], [raise(1)], [wait(0, 1, { flags: [0, 1] })]], undefined],
    [
      'a flag that is raised again, where what was seen is kept',
      [[raise(0), raise(0)], [wait(0, 1, { keeps: true })]],
      'a wait may read one value or another',
    ],
    [
      'a sum that goes on, where what was seen is kept',
      [[add(0), add(0)], [wait(0, 1, { keeps: true })]],
      'a wait may read one value or another',
    ],
    [
      'a flag that may be past what is waited for',
      [[wait(0, 1, { exactly: true })], [raise(0), raise(0)]],
      'a wait may be satisfied by different flags',
    ],
    [
      'none of several flags of which one is raised again',
      [[raise(0), raise(0)], [raise(1)], [wait(0, 1, { flags: [0, 1] })]],
      undefined,
    ],
    ['a load beside a store', [[store(0, true)], [load(0, true)]], 'a load may read different writes'],
    [
      'none of a load that acquires what another writes because of what comes after it',
      [
        [load(0, 'acquire'), raised(0)],
        [wait(0, 1), store(0, 'release')],
      ],
      undefined,
    ],
    [
      'none of one that does so through a third',
      [
        [load(0, 'acquire'), raised(0)],
        [wait(0, 1), raise(1)],
        [wait(1, 1), store(0, 'release')],
      ],
      undefined,
    ],
    [
      'a load that does not acquire what another writes because of what comes after it',
      [
        [load(0, true), raised(0)],
        [wait(0, 1), store(0, 'release')],
      ],
      'a load may read different writes',
    ],
    [
      'a load of what is not released',
      [
        [load(0, 'acquire'), raised(0)],
        [wait(0, 1), store(0, true)],
      ],
      'a load may read different writes',
    ],
    [
      'a load of what a third writes who does not know of the second',
      [
        [load(0, 'acquire'), raised(0)],
        [wait(0, 1), raised(1)],
        [wait(1, 1), store(0, 'release')],
      ],
      'a load may read different writes',
    ],
    ['a store behind a load', [[load(0, true)], [store(0, true)]], 'a load may read different writes'],
    ['two stores', [[store(0, true)], [store(0, true)]], 'two writes may occur in either order'],
    ['none of a sum that needs some', [[add(0)], [add(0)], [add(0), wait(0, 2)]], undefined],
    [
      'none of a sum that must fall again, and may fall once more',
      [
        [add(0), wait(0, 0, { atMost: 0 }), load(0)],
        [store(0), add(0, -1), add(0, -1)],
      ],
      undefined,
    ],
    [
      'a sum that either of two may make small enough',
      [[add(0), wait(0, 0, { atMost: 0 })], [add(0, -1)], [add(0, -1)]],
      'a wait may be satisfied by different sums',
    ],
    [
      'a sum that may rise again before the wait',
      [[add(0), wait(0, 0, { atMost: 0 })], [add(0, -1), wait(1, 1), add(0)], [add(1)]],
      'a wait may be satisfied by different sums',
    ],
    [
      'none of a flag that another thread raises again because it was raised',
      [
        [store(0), raise(0)],
        [wait(0, 1), raise(0)],
        [wait(0, 1), load(0)],
      ],
      undefined,
    ],
    [
      'a flag that another thread raises again without a release',
      [[raise(0)], [wait(0, 1), raised(0)], [wait(0, 1)]],
      'a wait may be satisfied by different flags',
    ],
    [
      'a flag that another thread raises again without an acquire',
      [[raise(0)], [wait(0, 1, { acquire: false }), raise(0)], [wait(0, 1)]],
      'a wait may be satisfied by different flags',
    ],
    [
      'a flag and a sum',
      [[raise(0)], [wait(0, 1), add(0)], [wait(0, 1)]],
      'a word that is waited for is stored to and added to',
    ],
  ])('possible divergence in a program: %s', (_, programs, doubt) => {
    expect(determinateRun(programs, first)).toEqual({ raced: false, ended: true, doubt });
    const { sets, executions } = explored(programs, { waits: 'all' });
    if (doubt === undefined) expect(sets['results']).toHaveLength(1);
    else expect(Math.max(executions, sets['finals']?.length ?? 0)).toBeGreaterThan(1);
  });

  test('is absent for a late wait, because the wait counts as reading the value that it needs and no later one', () => {
    const programs = [
      [raise(0), store(0), raise(0)],
      [wait(0, 1), load(0)],
    ];
    expect(determinateRun(programs, first)).toEqual({ raced: true, ended: true, doubt: undefined });
    expect(explored(programs, { waits: 'all' }).sets['races']).toEqual(['1.1 2.1']);
  });
});
