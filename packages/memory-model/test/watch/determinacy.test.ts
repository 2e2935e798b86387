import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changedRounds, explored, risingFlags } from '../graph/rising-flags.ts';
import { determinateRun } from './determinate-run.ts';

const seed = 20261122;

describe('a run that stands for all', () => {
  test('has no other outcome beside it, no race and nobody who is blocked', () => {
    const counted = { clean: 0, certain: 0, executions: 0 };
    fc.assert(
      fc.property(fc.oneof(risingFlags, changedRounds), fc.infiniteStream(fc.nat()), (programs, stream) => {
        const { clean, doubt } = determinateRun(programs, (able) => {
          const next: unknown = stream.next().value;
          return able[typeof next === 'number' ? next % able.length : 0] ?? 0;
        });
        if (!clean) return;
        counted.clean++;
        if (doubt !== undefined) return;
        counted.certain++;
        const { sets, complete, executions } = explored(programs, { waits: 'all', runs: 2_000 });
        fc.pre(complete);
        counted.executions += executions;
        expect({ races: sets['races'], blocked: sets['blocked'] }).toEqual({ races: [], blocked: [] });
        expect(sets['results']).toHaveLength(1);
        expect(sets['finals']).toHaveLength(1);
      }),
      { seed, numRuns: Number(process.env['NCCLTS_PROGRAMS'] ?? 400) },
    );
    // Many run clean, and of these many stand for others too.
    expect(counted.certain).toBeGreaterThan(counted.clean / 4);
    expect(counted.executions).toBeGreaterThan(counted.certain);
  });
});
