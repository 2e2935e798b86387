import { expect, test } from 'vitest';
import { runCampaign } from '../src/campaign.ts';
import { countsText } from '../src/tally.ts';

/** A sample; the command runs as many as requested. */
const PROGRAMS = 15;

test('no two engines disagree on a sample of random programs', async () => {
  const tally = await runCampaign({
    seed: 1,
    programs: PROGRAMS,
    schedules: 3,
    bound: 100,
    workers: 1,
    entry: new URL('../src/main.ts', import.meta.url),
    execArgv: ['--conditions=@nccl-ts/source', '--import', 'tsx'],
    // A machine that others use too must not look like an engine without an end.
    programSeconds: 100,
    minimised: 0,
    signal: new AbortController().signal,
    onPiece: () => undefined,
    onFound: () => undefined,
  });
  expect(countsText(tally)).toEqual([]);
  expect(tally).toMatchObject({ judged: PROGRAMS, refused: 0 });
  // A sample in which the engines have little to say would hold nothing.
  expect(tally.complete).toBeGreaterThan(PROGRAMS * 0.6);
  expect(tally.wrong).toBeGreaterThan(PROGRAMS * 0.4);
  expect(PROGRAMS - tally.wrong).toBeGreaterThan(PROGRAMS * 0.1);
});
