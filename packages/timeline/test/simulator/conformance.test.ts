import { sim, type SimWorld } from '@nccl-ts/backend-sim';
import { allCases, caseRuns, runCase, type CaseRun } from '@nccl-ts/conformance';
import { chromeTrace, checkChromeTrace, createTimelineRecorder } from '@nccl-ts/timeline';
import { describe, expect, it } from 'vitest';

/**
 * One of this many cases of a theme runs. With NCCLTS_EVERY_CASE set, all run, which takes some
 * minutes.
 */
const step = process.env['NCCLTS_EVERY_CASE'] === undefined ? 6 : 1;

/** Returns each case once, in the smallest world that it supports. */
function smallestRuns(theme: string): readonly CaseRun[] {
  const smallest = new Map<string, CaseRun>();
  for (const run of caseRuns(allCases)) {
    if (run.variant !== 'plain' || !run.case.id.startsWith(`${theme}/`)) continue;
    const known = smallest.get(run.case.id);
    if (known === undefined || known.shape.ranks > run.shape.ranks) smallest.set(run.case.id, run);
  }
  return [...smallest.values()].filter((_, index) => index % step === 0);
}

/** Runs a case that must pass. Returns its worlds. */
async function passing(run: CaseRun, trace: boolean): Promise<readonly SimWorld[]> {
  const worlds: SimWorld[] = [];
  const { verdict } = await runCase(run, {
    backend: (shape) => {
      const backend = sim({ ...shape, trace });
      return {
        ...backend,
        open: async (options) => {
          const world = await backend.open(options);
          worlds.push(world);
          return world;
        },
      };
    },
  });
  expect(verdict).toMatchObject({ case: run.case.id, verdict: 'pass' });
  return worlds;
}

describe('with tracing, cases have the right results, and their traces are valid', () => {
  it.each(['gin', 'hybrid-barriers', 'barriers', 'll-a2a', 'multimem', 'waiting', 'atomics'])(
    '%s',
    { timeout: 240_000 },
    async (theme) => {
      const runs = smallestRuns(theme);
      expect(runs.length).toBeGreaterThan(0);
      for (const run of runs) {
        const worlds = await passing(run, true);
        expect(worlds.length).toBeGreaterThan(0);
        for (const world of worlds) {
          const problems = checkChromeTrace(chromeTrace(world.timeline(createTimelineRecorder())));
          expect({ case: run.case.id, problems }).toEqual({ case: run.case.id, problems: [] });
        }
      }
    },
  );
});

describe('tracing does not change the results', () => {
  it.each(['gin', 'hybrid-barriers', 'barriers', 'waiting', 'atomics'])(
    'tracing does not change the results of the cases of theme %s',
    { timeout: 240_000 },
    async (theme) => {
      for (const run of smallestRuns(theme)) {
        const traced = await passing(run, true);
        const plain = await passing(run, false);
        const happened = (worlds: readonly SimWorld[]): object => ({
          case: run.case.id,
          hashes: worlds.map(({ eventHash }) => eventHash),
        });
        expect(happened(traced)).toEqual(happened(plain));
      }
    },
  );
});
