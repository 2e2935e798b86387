import { expect, inject, test } from 'vitest';
import { runCampaign } from '../src/campaign.ts';
import type { Theme } from '../src/generate.ts';
import { countsText, type Tally } from '../src/tally.ts';

/**
 * The size of the sample: larger with NCCLTS_EVERY_CASE, smaller in the quick tests. The command
 * runs as many as requested.
 */
const PROGRAMS = inject('everyCase') ? 15 : 5;

function sample(seed: number, programs: number, bound: number, theme?: Theme): Promise<Tally> {
  return runCampaign({
    seed,
    programs,
    schedules: 3,
    bound,
    workers: 1,
    entry: new URL('../src/main.ts', import.meta.url),
    execArgv: ['--conditions=@nccl-ts/source', '--import', 'tsx'],
    // On a shared machine, a slow engine must not count as one that does not end.
    programSeconds: 100,
    minimised: 0,
    signal: new AbortController().signal,
    onPiece: () => undefined,
    onFound: () => undefined,
    ...(theme === undefined ? {} : { theme }),
  });
}

// Slow machines with other work need minutes.
test('no two engines disagree on a sample of random programs', { timeout: 400_000 }, async () => {
  const tally = await sample(1, PROGRAMS, 100);
  expect(countsText(tally)).toEqual([]);
  expect(tally).toMatchObject({ judged: PROGRAMS, refused: 0 });
  // A sample without findings would prove nothing.
  expect(tally.complete).toBeGreaterThan(PROGRAMS * 0.6);
  expect(tally.wrong).toBeGreaterThan(PROGRAMS * 0.4);
  expect(PROGRAMS - tally.wrong).toBeGreaterThan(PROGRAMS * 0.1);
});

test('no two engines disagree on a sample of programs of the compute fabric', async () => {
  // Half of these programs are right.
  const tally = await sample(7, 4, 20, 'fabric');
  expect(countsText(tally)).toEqual([]);
  expect(tally).toMatchObject({ judged: 4, refused: 0, wrong: 2 });
  expect(tally.complete).toBeGreaterThan(1);
});
