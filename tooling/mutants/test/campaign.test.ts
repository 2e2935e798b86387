import process from 'node:process';
import { describe, expect, inject, test } from 'vitest';
import { readRecords, readText } from '../src/committed.ts';
import { mutateSubject } from '../src/mutate-subject.ts';
import { inTrials, lettersOf, type KernelRecord, type SubjectRecord } from '../src/record.ts';
import { scoreOf } from '../src/score.ts';
import { subjects } from '../src/subjects.ts';
import { survivorsText } from '../src/survivors-text.ts';
import { trials } from '../src/trials.ts';

const committed = readRecords();
/**
 * The sample. `MUTANTS=all` tries every mutant, which takes long. Otherwise the test tries one of
 * this many programs of each kind. Of its mutants it tries one in this many, or about this many if
 * there are more.
 */
const whole = process.env['MUTANTS'] === 'all';
const ONE_PROGRAM_OF = 36;
const ONE_MUTANT_OF = 5;
const MOST_MUTANTS = 4;

/** A hash of a text. */
function numberOf(text: string): number {
  let hash = 2166136261;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619) >>> 0;
  return hash;
}

function isTried(outcome: SubjectRecord, id: string): boolean {
  if (whole) return true;
  // A survivor of a program on several nodes takes as long as all others together.
  const most = outcome.shape.ranks > outcome.shape.lsaSize && outcome.shape.ranks > 2 ? 1 : MOST_MUTANTS;
  const oneOf = Math.max(ONE_MUTANT_OF, Math.ceil(scoreOf([outcome]).mutants / most));
  return numberOf(`${outcome.subject} ${id}`) % oneOf === 0;
}

function kindOf({ subject }: SubjectRecord): string {
  return subject.split('/', 1).join('');
}

const mutated = committed.filter(({ kernels }) => kernels.length > 0);
const kinds = new Map<string, readonly SubjectRecord[]>();
for (const one of mutated) kinds.set(kindOf(one), [...(kinds.get(kindOf(one)) ?? []), one]);
/** Calls over several nodes take as long as the rest of the sample. */
function isLong({ subject, shape }: SubjectRecord): boolean {
  return (subject.endsWith('-group') || subject.endsWith('/hierarchical')) && shape.ranks > shape.lsaSize;
}

/** Instead of a long program, the sample has the one after it. */
const sample = whole
  ? mutated
  : [...kinds.values()].flatMap((ofKind) =>
      ofKind.flatMap((_, i) => (i % ONE_PROGRAM_OF === 0 ? (ofKind.slice(i).find((one) => !isLong(one)) ?? []) : [])),
    );

/** The trial results of each mutant that is tried, by its position in the list. */
function shownIn(record: KernelRecord, isChosen: (index: number) => boolean): readonly string[] {
  return lettersOf(record).flatMap((letter, i) => (isChosen(i) ? [`${record.kernel} ${i} ${inTrials(letter)}`] : []));
}

describe('the committed mutation results', () => {
  // The quick tests have one.
  const now = sample.filter(({ subject }) => (subject === 'conformance/ll-a2a/values/numbers') !== inject('slow'));
  test.each(now.map((outcome) => ({ name: outcome.subject, outcome })))('$name', async ({ name, outcome }) => {
    const subject = subjects.find((one) => one.name === name);
    if (subject === undefined) throw new Error(`There is no program ${name} any more: run the campaign again.`);
    const chosen = (_: string, { id }: { readonly id: string }): boolean => isTried(outcome, id);
    const known = whole ? undefined : outcome.kernels.map(({ kernel }) => kernel);
    const now = await mutateSubject(subject, { trials, chosen, known });
    expect(now.unclean).toBeUndefined();
    for (const then of outcome.kernels) {
      const one = now.kernels.find(({ kernel }) => kernel === then.kernel);
      expect(one?.ids, `the mutants of ${then.kernel} are others: run the campaign again`).toBe(then.ids);
      if (one === undefined) continue;
      // A mutant without a result takes long, so the sample skips it.
      const tried = lettersOf(one).map((letter, i) => letter !== '.' && lettersOf(then)[i] !== 't');
      const isChosen = (i: number): boolean => tried[i] === true;
      expect(shownIn(one, isChosen)).toEqual(shownIn(then, isChosen));
    }
  });

  test('equals SURVIVORS.md', () => {
    expect(readText()).toBe(survivorsText(committed, trials));
  });

  test('has programs of every kind', () => {
    expect([...kinds.keys()].toSorted()).toEqual(['barriers', 'collectives', 'conformance', 'examples']);
  });
});
