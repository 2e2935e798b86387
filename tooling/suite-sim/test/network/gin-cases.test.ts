import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { allCases, caseRuns, runCase } from '@nccl-ts/conformance';
import { describe, expect, inject, it } from 'vitest';

const cases = allCases.filter(({ id }) => id.startsWith('gin/'));

/** The networks besides the default, which the conformance suite uses. */
const networks: readonly (readonly [string, Pick<SimOptions, 'seed' | 'gin'>])[] = [
  ['late', { gin: { delivery: 'late' } }],
  ['random, by seed 2', { seed: 2 }],
];

/** With NCCLTS_EVERY_CASE set, every case runs on each network; otherwise on one, in turns. */
const every = inject('everyCase');
/** The quick tests have one of 16. */
const isNow = (_: unknown, i: number): boolean => (i % 16 === 0) !== inject('slow');

describe.each(networks)('the GIN cases on a network that is %s', (name, options) => {
  const turn = name === 'late' ? 0 : 1;
  const chosen = cases.filter((_, i) => every || i % 2 === turn).filter(isNow);
  it.each(chosen.map((one) => [one.id, one] as const))('the GIN case %s passes', async (_id, one) => {
    // Only the largest shape, because this test is about networks and not ranks.
    const run = caseRuns([one]).findLast(({ variant }) => variant === 'plain');
    if (run === undefined) throw new Error('no shape');
    const { verdict, error } = await runCase(run, { backend: (shape) => sim({ ...shape, ...options }) });
    if (verdict.verdict !== 'pass') throw new Error(JSON.stringify(verdict), { cause: error });
    expect(verdict.verdict).toBe('pass');
  });
});
