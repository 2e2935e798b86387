import { describe, expect, test } from 'vitest';
import { CleanTally, cleanPieces, cleanPrograms } from '../src/clean-score.ts';
import type { DefaultVerdict } from '../src/default-check.ts';
import { killedIn, sampleOf } from '../src/default-sample.ts';
import { DefaultTally } from '../src/default-score.ts';
import { hashOfIds, type SubjectRecord } from '../src/record.ts';
import type { SendJob } from '../src/run-pieces.ts';
import type { Subject } from '../src/subject.ts';

const shape = { ranks: 2, lsaSize: 2 };
const limits = { subjectSeconds: 1, mutantSeconds: 1 };
const mutants = Array.from({ length: 40 }, (_, i) => ({
  id: `sync#${i + 1}:sync-removed`,
  operator: 'sync-removed' as const,
  does: 'The sync is removed.',
}));

/** A program with 40 mutants, of which 36 are recorded as killed. */
function record(subject: string, ids = hashOfIds(mutants)): SubjectRecord {
  const verdicts = `${'k'.repeat(34)}aao-ul`;
  return { subject, shape, kernels: [{ kernel: 'k', ids, verdicts, killedBy: {}, rejected: 0, repeated: 0 }] };
}

/** A process that opens every program, and whose check returns this. */
function asking(verdict: DefaultVerdict | 'late'): SendJob {
  return async (job) => {
    if (job.kind === 'open') {
      const kernels = [{ kernel: 'k', mutants, rejected: 0, repeated: 0 }];
      return { kind: 'opened', listing: { subject: job.subject, shape, kernels } };
    }
    return verdict === 'late' ? { kind: 'lost', why: 'it took longer than 1 s' } : { kind: 'checked', verdict };
  };
}

async function scoreOf(ask: SendJob, records = [record('a')]): Promise<DefaultTally['score']> {
  const pieces = sampleOf(records, { size: 20, seed: 1 });
  const tally = new DefaultTally({ of: killedIn(records), size: 20, seed: 1 }, limits);
  for (const piece of pieces) await tally.perform(piece, ask);
  return tally.score;
}

describe('the sample of mutants that are recorded as killed', () => {
  const records = [record('a'), record('b')];
  const chosen = (seed: number): readonly string[] =>
    sampleOf(records, { size: 30, seed }).flatMap((piece) =>
      piece.mutants.map(({ index }) => `${piece.subject} ${index}`),
    );

  test('has the requested size, no duplicates, and only killed mutants', () => {
    expect(killedIn(records)).toBe(72);
    expect(new Set(chosen(1)).size).toBe(30);
    expect(chosen(1).filter((one) => Number(one.split(' ')[1]) > 35)).toEqual([]);
  });

  test('is the same for the same seed', () => {
    expect(chosen(1)).toEqual(chosen(1));
    expect(chosen(1)).not.toEqual(chosen(2));
  });
});

describe('the score of the plain check', () => {
  const complaint = (by: string): DefaultVerdict => ({ kind: 'complaint', by, said: 'something is wrong' });

  test.each<[string, DefaultVerdict | 'late', object]>([
    ['has a killed mutant only where the check complains', complaint('race'), { killed: 20, killedBy: { race: 20 } }],
    ['has no kill where the engines disagree', complaint('NCCL_INTERNAL_ERROR'), { killed: 0, tried: 20 }],
    ['has no kill where the check gives no answer', 'late', { killed: 0, tried: 20 }],
    ['has no kill where the check is clean', { kind: 'clean', isProven: false }, { killed: 0, tried: 20 }],
  ])('the score of the plain check %s', async (_, verdict, expected) => {
    const score = await scoreOf(asking(verdict));
    expect(score).toMatchObject({ ...expected, left: 0, lost: [] });
    expect(score.killed + score.notKilled.length + score.incomplete.length).toBe(20);
  });

  test('drops mutants that are not in the record', async () => {
    const score = await scoreOf(asking(complaint('race')), [record('a', 'of another list')]);
    expect(score).toMatchObject({ tried: 0, killed: 0, left: 0 });
    expect(score.lost).toHaveLength(20);
  });

  test('reports how many mutants are left when the time is up', async () => {
    const ask = asking(complaint('race'));
    let answers = 0;
    const score = await scoreOf(async (job, seconds) => (answers++ < 10 ? ask(job, seconds) : undefined));
    expect(score).toMatchObject({ tried: 5, killed: 5, left: 15 });
  });
});

describe('the clean programs', () => {
  const subject = (name: string): Subject => ({ name, shape, run: async () => true });
  const unclean: SubjectRecord = {
    ...record('b'),
    unclean: { by: 'race', said: 'a race', trial: { strategy: 'late', seed: 1 } },
  };

  test('are those that every campaign includes, with the same number of seeds each', () => {
    const programs = cleanPrograms(['a', 'b', 'c'].map(subject), [record('a'), unclean]);
    const pieces = cleanPieces(programs, 3);
    expect(pieces.map((piece) => piece.subject)).toEqual(['a', 'c', 'a', 'c', 'a', 'c']);
    expect(new Set(pieces.map(({ seed }) => seed)).size).toBe(3);
  });

  test('are counted with their findings, and with the unchecked rest', async () => {
    const told: string[] = [];
    const plan = { programs: 1, mutatedKernels: 1, seedsEach: 3, planned: 3 };
    const tally = new CleanTally(plan, 1, ({ by }) => told.push(by));
    await tally.perform({ subject: 'a', seed: 1 }, asking({ kind: 'complaint', by: 'race', said: 'a race' }));
    await tally.perform({ subject: 'a', seed: 16 }, asking({ kind: 'clean', isProven: true }));
    await tally.perform({ subject: 'a', seed: 31 }, async () => undefined);
    expect(told).toEqual(['race']);
    expect(tally.score).toMatchObject({ checked: 2, proven: 1, left: 1, incomplete: [] });
    expect(tally.score.findings).toHaveLength(1);
  });
});
