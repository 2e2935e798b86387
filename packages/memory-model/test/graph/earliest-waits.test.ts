import * as fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { explored, mixedWaits, risingFlags, type Step } from './rising-flags.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const seed = 20261122;
/**
 * With NCCLTS_EVERY_CASE set, six times as many programs are explored; with NCCLTS_PROGRAMS, that
 * many.
 */
const most = inject('everyCase') ? 6 : 1;

describe('waits that are assumed to be satisfied by the earliest writes', () => {
  test.for(slow)('miss no outcome, no race and no blocked thread', () => {
    const saved = { executions: 0, of: 0 };
    fc.assert(
      fc.property(risingFlags, (programs) => {
        const all = explored(programs, { waits: 'all' });
        fc.pre(all.complete);
        const earliest = explored(programs, { waits: 'earliest' });
        expect(earliest.sets).toEqual(all.sets);
        saved.executions += all.executions - earliest.executions;
        saved.of += all.executions;
      }),
      { seed, numRuns: Number(process.env['NCCLTS_PROGRAMS'] ?? 50 * most) },
    );
    expect(saved.executions).toBeGreaterThan(saved.of / 50);
  });

  test.for(quick)('miss nothing if waits require one value, or keep the value that they read', () => {
    fc.assert(
      fc.property(mixedWaits, (programs) => {
        const all = explored(programs, { waits: 'all' });
        fc.pre(all.complete);
        expect(explored(programs, { waits: 'earliest' }).sets).toEqual(all.sets);
      }),
      { seed, numRuns: Number(process.env['NCCLTS_PROGRAMS'] ?? 17 * most) },
    );
  });

  test.for(quick)('need one execution if rounds follow each other', () => {
    const round = (own: number): readonly Step[] => [
      { kind: 'raise', flag: own, strong: true, release: true },
      { kind: 'wait', flags: [1 - own], least: 1, acquire: true },
    ];
    const rounds = (own: number): readonly Step[] =>
      [1, 2, 3, 4].flatMap((least) => round(own).map((one) => (one.kind === 'wait' ? { ...one, least } : one)));
    expect(explored([rounds(0), rounds(1)], { waits: 'all' }).executions).toBeGreaterThan(8);
    expect(explored([rounds(0), rounds(1)], { waits: 'earliest' })).toMatchObject({ executions: 1, runs: 1 });
  });
});
