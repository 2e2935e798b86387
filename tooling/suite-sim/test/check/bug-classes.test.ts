import { check } from '@nccl-ts/checker';
import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { bugClasses, excludedBugClasses, type BugProgram, type FindingPattern } from '@nccl-ts/conformance';
import { findingOfError, type Finding } from '@nccl-ts/findings';
import { describe, expect, inject, test } from 'vitest';
import { machineOf, runOn } from '../support/bug-program-runs.ts';
import { describeFinding, findingMatches } from '../support/finding-matches.ts';
import { problems } from '../support/bug-program-problems.ts';

type ScheduleOptions = Required<Pick<SimOptions, 'strategy' | 'seed'>>;

/** With NCCLTS_EVERY_CASE set, all seeds of this file. */
const every = inject('everyCase');

/** Each program is checked under each of these schedules. */
const schedules: readonly ScheduleOptions[] = [
  ...(every ? [1, 2] : [1]).map((seed) => ({ strategy: 'random', seed }) as const),
  { strategy: 'pct', seed: 1 },
  { strategy: 'late', seed: 1 },
];

/** Further schedules, for programs whose fault some schedules do not show. */
const further: readonly ScheduleOptions[] = [
  ...[0, 64].map((seed) => ({ strategy: 'hasty', seed }) as const),
  ...Array.from({ length: 16 }, (_, i) => ({ strategy: i % 2 === 0 ? 'random' : 'pct', seed: 3 + i }) as const),
];

/** One wrong program of each class. */
const wrongPrograms = bugClasses.flatMap(({ programs: all }) => all.find(({ expects }) => expects !== 'clean') ?? []);

/** The quick tests check half of them by default. */
const quickByDefault = new Set(wrongPrograms.filter((_, i) => i % 2 === 0));

// One file checks all of them in all ways, because the first check of a program compiles it.
const byDefault = bugClasses
  .flatMap((one) => one.programs)
  .filter((program) => quickByDefault.has(program) !== inject('slow'))
  .map((program) => [program.name, program] as const);

/** Of runs without a check and checks under many schedules, the quick tests have only some. */
const quickChecks = new Set(wrongPrograms.filter((_, i) => i % 8 === 0));
const someRuns = bugClasses
  .flatMap((one) => one.programs)
  .filter((program) => quickChecks.has(program) !== inject('slow'))
  .map((program) => [program.name, program] as const);

/** Returns the message of a run without checks: the deadlock or fault that ended it. */
async function toldByRun(program: BugProgram, seed: number): Promise<readonly Finding[]> {
  try {
    await runOn(program)(sim({ ...machineOf(program), seed }));
    return [];
  } catch (error) {
    const finding = findingOfError(error, { strategy: 'random', seed });
    if (finding === undefined) throw error;
    return [finding];
  }
}

/**
 * Bugs that no schedule of this engine shows, with the reason: they need executions that only the
 * exhaustive engine explores.
 */
const onlyExhaustive: Readonly<Record<string, string>> = {
  'L21/torn': 'the reader must see an old value where a newer one is written already, and here a load gives the newest',
};

/** Rules whose violation only a check reports, although similar rules have an error. */
const unseenByRun: readonly string[] = [
  'L10/both-alive',
  'L10/one-for-two-ctas',
  'L10/one-for-two-streams',
  'L21/torn',
  'G14/stored-to',
  'G19/window-ends',
];

/** True if every run ends with the error that the program expects. */
function isToldByRun({ name, expects }: BugProgram): boolean {
  if (expects === 'clean' || expects.sometimes === true || unseenByRun.includes(name)) return false;
  return ['deadlock', 'out-of-bounds', 'misuse', 'fault'].includes(expects.kind);
}

describe('bug classes', () => {
  test('every class has one wrong program and one right program', () => {
    const ids = [...bugClasses, ...excludedBugClasses].map(({ id }) => id);
    const all = [
      ...Array.from({ length: 26 }, (_, i) => `L${i + 1}`),
      ...Array.from({ length: 6 }, (_, i) => `M${i + 1}`),
      ...Array.from({ length: 22 }, (_, i) => `G${i + 1}`),
      ...Array.from({ length: 11 }, (_, i) => `F${i + 1}`),
    ];
    expect(ids.toSorted()).toEqual(all.toSorted());
    const without = (isMeant: (program: BugProgram) => boolean): readonly string[] =>
      bugClasses.filter((one) => !one.programs.some(isMeant)).map(({ id }) => id);
    expect(without(({ expects }) => expects === 'clean')).toEqual([]);
    expect(without(({ expects }) => expects !== 'clean')).toEqual([]);
    const misnamed = bugClasses.flatMap(({ id, programs: own }) =>
      own.filter(({ name }) => !name.startsWith(`${id}/`)),
    );
    expect(misnamed).toEqual([]);
    const names = bugClasses.flatMap((one) => one.programs.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(someRuns)('%s, run without a check', async (_name, program) => {
    const told = await toldByRun(program, 1);
    const wrong = problems(told, program.expects).filter(
      (problem) => isToldByRun(program) || !problem.startsWith('not found'),
    );
    expect(wrong.join('\n')).toBe('');
  });

  test.each(someRuns)('%s, checked', async (_name, program) => {
    const { expects } = program;
    const wrong = new Map<string, string[]>();
    let shown = 0;
    const isShownSometimes = expects !== 'clean' && expects.sometimes === true;
    for (const schedule of isShownSometimes ? [...schedules, ...further] : schedules) {
      const { findings: found } = await check({ ...machineOf(program), ...schedule }, runOn(program));
      for (const problem of problems(found, expects)) {
        wrong.set(problem, [...(wrong.get(problem) ?? []), `${schedule.strategy} ${schedule.seed}`]);
      }
      if (expects !== 'clean' && found.some((finding) => findingMatches(finding, expects))) shown++;
    }
    const reason = onlyExhaustive[program.name];
    if (expects !== 'clean' && shown === 0 && reason === undefined) wrong.set('no schedule shows it', []);
    // A bug that schedules do show must be removed from the exceptions.
    if (shown > 0 && reason !== undefined) wrong.set(`it is shown, though ${reason}`, []);
    const text = [...wrong].map(([problem, where]) => `${problem} (${where.join(', ')})`).join('\n');
    expect(text).toBe('');
  });
});

/** A check has several schedules. */
const seeds = every ? [1, 2, 3] : [1];

function isOneOf(patterns: readonly FindingPattern[]): (finding: Finding) => boolean {
  return (finding) => patterns.some((pattern) => findingMatches(finding, pattern));
}

// The first error ends such a check, so it need not find the consequences of the same mistake.
describe('a check with only its defaults', () => {
  test.each(byDefault)('a check with defaults gives the expected report of bug class %s', async (_name, program) => {
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
