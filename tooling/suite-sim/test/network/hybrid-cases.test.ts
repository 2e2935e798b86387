import { sim } from '@nccl-ts/backend-sim';
import { allCases, caseRuns, runCase } from '@nccl-ts/conformance';
import { describe, expect, inject, it } from 'vitest';

/** The quick tests have one. */
const cases = allCases
  .filter(({ id }) => id.startsWith('hybrid-barriers/'))
  .filter(({ id }) => (id === 'hybrid-barriers/world/fence-none') !== inject('slow'));

/** With NCCLTS_EVERY_CASE set, all shapes of a case run; otherwise its first one. */
const every = inject('everyCase');

// The conformance suite uses the default network. On this one, a signal that covers nothing
// overtakes everything that it can.
describe('the cases of hybrid barriers on a network that is late', () => {
  it.each(cases.map((one) => [one.id, one] as const))(
    'the hybrid case %s passes on a late network',
    async (_id, one) => {
      const plain = caseRuns([one]).filter(({ variant }) => variant === 'plain');
      for (const run of every ? plain : plain.slice(0, 1)) {
        const { verdict, error } = await runCase(run, {
          backend: (shape) => sim({ ...shape, gin: { delivery: 'late' } }),
        });
        if (verdict.verdict !== 'pass') throw new Error(JSON.stringify(verdict), { cause: error });
        expect(verdict.verdict).toBe('pass');
      }
    },
  );
});
