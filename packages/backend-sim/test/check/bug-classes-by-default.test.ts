import { check } from '@nccl-ts/backend-sim';
import { bugClasses, type FindingPattern } from '@nccl-ts/conformance';
import type { Finding } from '@nccl-ts/findings';
import { describe, expect, test } from 'vitest';
import { machineOf, runOn } from '../support/bug-program-runs.ts';
import { describeFinding, findingMatches } from '../support/finding-matches.ts';

const programs = bugClasses.flatMap((one) => one.programs.map((program) => [program.name, program] as const));

/** A check has several schedules; with NCCLTS_EVERY_CASE set, those of several seeds. */
const seeds = process.env['NCCLTS_EVERY_CASE'] === undefined ? [1] : [1, 2, 3];

function isOneOf(patterns: readonly FindingPattern[]): (finding: Finding) => boolean {
  return (finding) => patterns.some((pattern) => findingMatches(finding, pattern));
}

// The first error ends such a check, so it need not find the consequences of the same mistake.
describe('a check with only its defaults', () => {
  test.each(programs)('a check with defaults gives the expected report of bug class %s', async (_name, program) => {
    const { expects } = program;
    const expected = expects === 'clean' ? [] : [expects, ...(expects.also ?? [])];
    const allowed = expects === 'clean' ? [] : [...expected, ...(expects.may ?? [])];
    const wrong: string[] = [];
    for (const seed of seeds) {
      const { findings } = await check({ ...machineOf(program), seed }, runOn(program));
      const surplus = findings.filter((finding) => !isOneOf(allowed)(finding));
      wrong.push(...surplus.map((finding) => `seed ${seed}, not expected: ${describeFinding(finding)}`));
      if (expects !== 'clean' && !findings.some(isOneOf(expected))) wrong.push(`seed ${seed}: nothing is found`);
    }
    expect(wrong.join('\n')).toBe('');
  });
});
