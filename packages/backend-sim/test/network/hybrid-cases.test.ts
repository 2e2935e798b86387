import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { allCases, caseRuns, runCase } from '@nccl-ts/conformance';
import { describe, expect, it } from 'vitest';

const cases = allCases.filter(({ id }) => id.startsWith('hybrid-barriers/'));

/** Networks beside the default one, which the conformance suite has. */
const networks: readonly (readonly [string, Pick<SimOptions, 'seed' | 'gin'>])[] = [
  ['prompt', { gin: { delivery: 'prompt' } }],
  ['late', { gin: { delivery: 'late' } }],
  ['random, by seed 2', { seed: 2 }],
];

describe.each(networks)('the cases of hybrid barriers on a network that is %s', (_name, options) => {
  it.each(cases.map((one) => [one.id, one] as const))('%s', async (_id, one) => {
    for (const run of caseRuns([one]).filter(({ variant }) => variant === 'plain')) {
      const { verdict, error } = await runCase(run, { backend: (shape) => sim({ ...shape, ...options }) });
      if (verdict.verdict !== 'pass') throw new Error(JSON.stringify(verdict), { cause: error });
      expect(verdict.verdict).toBe('pass');
    }
  });
});
