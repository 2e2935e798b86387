import { describe, expect, test } from 'vitest';
import type { Listing } from '../src/listing.ts';
import { ledgerText, parseLedger } from '../src/ledger.ts';
import type { Limits } from '../src/limits.ts';
import { outcomeOf } from '../src/outcome-of.ts';
import { CampaignPlan, type CampaignTask } from '../src/plan.ts';
import { scoreOf } from '../src/score.ts';
import type { Subject } from '../src/subject.ts';
import { trials } from '../src/trials.ts';

const shape = { ranks: 2, lsaSize: 2 };
const limits: Limits = { subjectSeconds: 10, mutantSeconds: 5, proofSeconds: 5, crossCheck: false };

function program(name: string): Subject {
  return { name, shape, run: async () => Promise.resolve(true) };
}

const programs = [program('short'), program('long')];

function listing(subject: string, ...ids: readonly string[]): Listing {
  const mutants = ids.map((id) => ({ id, operator: 'sync-removed', does: 'The sync is removed.' }) as const);
  return { subject, shape, kernels: [{ kernel: 'k', mutants, rejected: 0, repeated: 0 }] };
}

function nameOf(task: CampaignTask | undefined): string {
  if (task === undefined) return 'nothing';
  return task.kind === 'list' ? `list ${task.plan.name}` : `${task.kind} ${task.plan.name} ${task.target.mutant.id}`;
}

/** Runs the next task, like a worker that has `current` open. */
function step(plan: CampaignPlan, current?: string): string {
  const task = plan.next(current);
  if (task === undefined) return 'nothing';
  if (task.kind === 'list') {
    const { name } = task.plan;
    const ids = name === 'short' ? ['a#1:sync-removed'] : ['b#1:sync-removed', 'b#2:sync-removed'];
    plan.done(task, { kind: 'opened', listing: listing(name, ...ids) }, name === 'short' ? 1 : 4);
  } else if (task.kind === 'try') {
    plan.done(task, { kind: 'tried', fate: { kind: 'killed', by: 'race', how: 'late:1', tried: 1 } }, 2);
  }
  return nameOf(task);
}

describe('a plan', () => {
  test('lists every program, with the slowest first', () => {
    const plan = new CampaignPlan(programs, trials, limits);
    expect([step(plan), step(plan)]).toEqual(['list short', 'list long']);
    expect([step(plan), step(plan, 'long'), step(plan, 'long'), step(plan)]).toEqual([
      'try long b#1:sync-removed',
      'try long b#2:sync-removed',
      'try short a#1:sync-removed',
      'nothing',
    ]);
  });

  test('continues an earlier plan, and repeats lost and slow mutants', () => {
    const plan = new CampaignPlan(programs, trials, limits);
    step(plan);
    step(plan);
    const slow = plan.next('long');
    const lost = plan.next('long');
    expect([nameOf(slow), nameOf(lost)]).toEqual(['try long b#1:sync-removed', 'try long b#2:sync-removed']);
    if (slow !== undefined) plan.lost(slow, 'it took longer than 5 s');
    const written = ledgerText(plan.ledger);
    const resumed = new CampaignPlan(programs, trials, limits, parseLedger(written));
    expect([step(resumed), step(resumed), step(resumed)]).toEqual([
      'try long b#2:sync-removed',
      'try short a#1:sync-removed',
      'nothing',
    ]);
    const [, long] = resumed.ledger.subjects;
    const outcome = long && outcomeOf(long);
    expect(outcome?.kernels[0]).toMatchObject({ verdicts: 'tk', killedBy: { race: 1 } });
    expect(scoreOf(outcome === undefined ? [] : [outcome])).toMatchObject({ killed: 1, equivalent: 0, unknown: 1 });
    const patient = new CampaignPlan(programs, trials, { ...limits, mutantSeconds: 6 }, parseLedger(written));
    expect(step(patient)).toBe('try long b#1:sync-removed');
  });

  test('drops the results of a changed kernel, and keeps programs that are not selected', () => {
    const plan = new CampaignPlan(programs, trials, limits);
    while (step(plan) !== 'nothing');
    const known = parseLedger(ledgerText(plan.ledger));
    const resumed = new CampaignPlan([program('short')], trials, limits, known);
    expect(step(resumed)).toBe('nothing');
    expect(resumed.ledger.subjects.map(({ subject }) => subject)).toEqual(['short', 'long']);
    const changed = new CampaignPlan([program('long')], trials, { ...limits, mutantSeconds: 6 }, known);
    expect(step(changed)).toBe('nothing');
    // Like a worker that opens a program again.
    changed.relist('long', listing('long', 'b#1:sync-removed'));
    expect([step(changed), step(changed)]).toEqual(['try long b#1:sync-removed', 'nothing']);
    expect(() => new CampaignPlan(programs, trials.slice(1), limits, known)).toThrow('other trials: late:1');
  });

  test('proves the stronger mutants first, and uses them for the weaker ones', () => {
    const plan = new CampaignPlan([program('p')], trials, { ...limits, proofRuns: 10 });
    const operators = ['sync-narrowed', 'sync-removed'] as const;
    const mutants = operators.map((operator) => ({ id: `s#1:${operator}`, operator, does: 'It is less.' }));
    const list = plan.next(undefined);
    expect(nameOf(list)).toBe('list p');
    const kernels = [{ kernel: 'k', mutants, rejected: 0, repeated: 0 }];
    if (list !== undefined) plan.done(list, { kind: 'opened', listing: { subject: 'p', shape, kernels } }, 1);
    for (let i = 0; i < 2; i++) {
      const task = plan.next('p');
      const equivalence = { kind: 'unproven', why: 'no proof was tried' } as const;
      if (task !== undefined) plan.done(task, { kind: 'tried', fate: { kind: 'survived', tried: 4, equivalence } }, 1);
    }
    const first = plan.next('p');
    expect(nameOf(first)).toBe('prove p s#1:sync-removed');
    expect(nameOf(plan.next('p'))).toBe('nothing');
    if (first !== undefined) {
      plan.done(
        first,
        { kind: 'proven', equivalence: { kind: 'exhaustive', size: { ...shape, ctas: 2, threads: 2 }, schedules: 90 } },
        1,
      );
    }
    expect(nameOf(plan.next('p'))).toBe('nothing');
    expect(plan.ledger.subjects[0]?.kernels[0]?.mutants[0]?.fate).toMatchObject({
      equivalence: { kind: 'less than', of: 's#1:sync-removed' },
    });
  });
});
