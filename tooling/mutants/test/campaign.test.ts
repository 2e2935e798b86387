import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { readOutcomes, readText } from '../src/committed.ts';
import { mutateSubject } from '../src/mutate-subject.ts';
import type { SubjectOutcome } from '../src/outcome.ts';
import { scoreOf } from '../src/score.ts';
import { subjects } from '../src/subjects.ts';
import { survivorsText } from '../src/survivors-text.ts';
import { trials } from '../src/trials.ts';

const committed = readOutcomes();
/**
 * `MUTANTS=all` tries every mutant, which takes long; otherwise one of so many programs of each kind, and one of so many of
 * its mutants, or about so many where it has more.
 */
const whole = process.env['MUTANTS'] === 'all';
const ONE_PROGRAM_OF = 24;
const ONE_MUTANT_OF = 5;
const MOST_MUTANTS = 4;

/** A number for a text: always the same, and of no meaning. */
function numberOf(text: string): number {
  let hash = 2166136261;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 0;
  return hash;
}

function isTried(outcome: SubjectOutcome, id: string): boolean {
  if (whole) return true;
  const oneOf = Math.max(ONE_MUTANT_OF, Math.ceil(scoreOf([outcome]).mutants / MOST_MUTANTS));
  return numberOf(`${outcome.subject} ${id}`) % oneOf === 0;
}

function kindOf({ subject }: SubjectOutcome): string {
  return subject.split('/', 1).join('');
}

const mutated = committed.filter(({ kernels }) => kernels.length > 0);
const kinds = new Map<string, readonly SubjectOutcome[]>();
for (const one of mutated) kinds.set(kindOf(one), [...(kinds.get(kindOf(one)) ?? []), one]);
const sample = whole
  ? mutated
  : [...kinds.values()].flatMap((ofKind) => ofKind.filter((_, i) => i % ONE_PROGRAM_OF === 0));

describe('the committed campaign', () => {
  test.each(sample.map((outcome) => ({ name: outcome.subject, outcome })))('$name', async ({ name, outcome }) => {
    const subject = subjects.find((one) => one.name === name);
    if (subject === undefined) throw new Error(`There is no program ${name} any more: run the campaign again.`);
    // Of these nothing is known but that they take long.
    const endless = new Set(outcome.kernels.flatMap(({ unknown = [] }) => unknown.map(({ id }) => id)));
    const chosen = (_: string, { id }: { readonly id: string }): boolean => isTried(outcome, id) && !endless.has(id);
    const now = await mutateSubject(subject, { trials, chosen });
    // What is shown by all runs alone survives its trials.
    const survivorsIn = (one: SubjectOutcome): readonly string[] =>
      one.kernels.flatMap(({ kernel, survivors, inAllRunsAlone = [] }) =>
        [...survivors.map(({ id }) => id), ...inAllRunsAlone]
          .filter((id) => isTried(outcome, id))
          .map((id) => `${kernel} ${id}`)
          .toSorted(),
      );
    expect(now.unclean).toBeUndefined();
    expect(survivorsIn(now)).toEqual(survivorsIn(outcome));
    if (whole) expect(scoreOf([now]).mutants).toBe(scoreOf([outcome]).mutants - endless.size);
  });

  test('is what SURVIVORS.md says', () => {
    expect(readText()).toBe(survivorsText(committed, trials));
  });

  test('has programs of every kind', () => {
    expect([...kinds.keys()].toSorted()).toEqual(['barriers', 'collectives', 'conformance', 'examples']);
  });
});
