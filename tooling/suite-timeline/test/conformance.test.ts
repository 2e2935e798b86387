import { sim, type SimWorld } from '@nccl-ts/backend-sim';
import { allCases, caseRuns, runCase, type CaseRun } from '@nccl-ts/conformance';
import { chromeTrace, checkChromeTrace, createTimelineRecorder } from '@nccl-ts/timeline';
import { describe, expect, inject, it } from 'vitest';

/**
 * One of this many cases of a theme runs. With NCCLTS_EVERY_CASE set, all run, which takes some
 * minutes.
 */
const step = inject('everyCase') ? 1 : 24;

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

/** The themes whose schedules are compared with those of runs without tracing. */
const compared: readonly string[] = ['gin', 'hybrid-barriers', 'barriers', 'waiting', 'atomics'];

function happened(run: CaseRun, worlds: readonly SimWorld[]): object {
  return { case: run.case.id, hashes: worlds.map(({ eventHash }) => eventHash) };
}

describe('with tracing, cases have the right results, their traces are valid, and tracing does not change what happens', () => {
  it.each(
    [...compared, 'll-a2a', 'multimem'].filter((row) => (row === 'barriers' || row === 'll-a2a') !== inject('slow')),
  )('%s', { timeout: 240_000 }, async (theme) => {
    const runs = smallestRuns(theme);
    expect(runs.length).toBeGreaterThan(0);
    for (const run of runs) {
      const traced = await passing(run, true);
      expect(traced.length).toBeGreaterThan(0);
      for (const world of traced) {
        const problems = checkChromeTrace(chromeTrace(world.timeline(createTimelineRecorder())));
        expect({ case: run.case.id, problems }).toEqual({ case: run.case.id, problems: [] });
      }
      if (!compared.includes(theme)) continue;
      expect(happened(run, traced)).toEqual(happened(run, await passing(run, false)));
    }
  });
});
