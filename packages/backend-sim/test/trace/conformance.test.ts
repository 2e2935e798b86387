import { sim, type SimWorld } from '@nccl-ts/backend-sim';
import { allCases, caseRuns, runCase } from '@nccl-ts/conformance';
import { chromeTrace, checkChromeTrace } from '@nccl-ts/timeline';
import { describe, expect, it } from 'vitest';

const themes = ['barriers', 'll-a2a', 'multimem', 'waiting', 'atomics'];

/** Each case once, in the smallest world that it is for. */
const runs = themes.map((theme) => {
  const plain = caseRuns(allCases).filter((run) => run.variant === 'plain' && run.case.id.startsWith(`${theme}/`));
  const smallest = new Map<string, (typeof plain)[number]>();
  for (const run of plain) {
    const known = smallest.get(run.case.id);
    if (known === undefined || known.shape.ranks > run.shape.ranks) smallest.set(run.case.id, run);
  }
  return [theme, [...smallest.values()]] as const;
});

describe('with tracing, cases come out as without, and their traces are sound', () => {
  it.each(runs)('%s', { timeout: 120_000 }, async (_theme, cases) => {
    expect(cases.length).toBeGreaterThan(0);
    for (const run of cases) {
      const worlds: SimWorld[] = [];
      const hashes: number[][] = [];
      for (const trace of [true, false]) {
        const opened: SimWorld[] = [];
        const outcome = await runCase(run, {
          backend: (shape) => {
            const backend = sim({ ...shape, trace });
            return {
              ...backend,
              open: async (options) => {
                const world = await backend.open(options);
                opened.push(world);
                return world;
              },
            };
          },
        });
        expect(outcome.verdict, run.case.id).toMatchObject({ verdict: 'pass' });
        if (trace) worlds.push(...opened);
        hashes.push(opened.map(({ eventHash }) => eventHash));
      }
      expect(hashes[0], run.case.id).toEqual(hashes[1]);
      for (const world of worlds) {
        expect(checkChromeTrace(chromeTrace(world.timeline())), run.case.id).toEqual([]);
      }
    }
  });
});
