import { explore } from '@nccl-ts/checker';
import { bugClasses } from '@nccl-ts/conformance';
import { isNcclError } from '@nccl-ts/core';
import { describe, expect, inject, test } from 'vitest';
import { problems } from '../support/bug-program-problems.ts';
import { machineOf, runOn } from '../support/bug-program-runs.ts';

/** The quick tests have one of 16. */
const programs = bugClasses
  .filter(({ id }) => id.startsWith('F'))
  .flatMap((one) => one.programs.map((program) => [program.name, program] as const))
  .filter((_, i) => (i % 16 === 0) !== inject('slow'));

describe('every execution with the compute fabric', () => {
  test.each(programs)('%s has the findings of the default check', async (_name, program) => {
    const { complete, report } = await explore(
      { ...machineOf(program), mode: 'check' },
      async (backend) => {
        try {
          await runOn(program)(backend);
        } catch (error) {
          if (!isNcclError(error)) throw error;
        }
      },
      // A racing program has very many executions, but the first ones show the race.
      program.expects === 'clean' ? { runs: 50 } : { runs: 8, accesses: 2000 },
    );
    expect(problems(report?.findings ?? [], program.expects).join('\n')).toBe('');
    if (program.expects === 'clean')
      expect({ complete, verdict: report?.verdict }).toEqual({ complete: true, verdict: 'clean' });
  });
});
