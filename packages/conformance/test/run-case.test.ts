import {
  defineCase,
  expectSame,
  runCase,
  runConformance,
  type Case,
  type CaseContext,
  type CaseVerdict,
  type Expectation,
  type RunCaseOptions,
} from '@nccl-ts/conformance';
import { NcclError } from '@nccl-ts/core';
import { f64, kernel, u32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { stubBackend } from './support/stub-backend.ts';

const shape = { ranks: 2, lsaSize: 2 };
const nothing = kernel({ name: 'nothing' }, () => {});
const prints = kernel({ name: 'prints', params: { n: u32 } }, ({ print }, { n }) => print('n', n));
const doubles = kernel({ name: 'doubles', params: { x: f64 } }, ({ assert }, { x }) => assert(x > 1, 'x'));

function caseOf(
  run: (context: CaseContext) => Promise<void>,
  more: Partial<Parameters<typeof defineCase>[0]> = {},
): Case {
  return defineCase({ id: 'teams/as-parameter', mirrors: 'nothing', ranks: [2], kernels: [nothing], run, ...more });
}

async function verdictOf(one: Case, options: Partial<RunCaseOptions> = {}): Promise<CaseVerdict> {
  const outcome = await runCase({ case: one, shape, variant: 'plain' }, { backend: stubBackend, ...options });
  return outcome.verdict;
}

const right = async (): Promise<void> => {};
const wrong = async (): Promise<void> => expectSame('the sum', 3, 4);

describe('a verdict', () => {
  it('is pass if the case resolves', async () => {
    expect(await verdictOf(caseOf(right))).toMatchObject({
      verdict: 'pass',
      case: 'teams/as-parameter',
      ranks: 2,
      variant: 'plain',
    });
  });

  it('is fail with mismatch if values are wrong', async () => {
    const verdict = await verdictOf(caseOf(wrong));
    expect(verdict).toMatchObject({ verdict: 'fail', code: 'mismatch', reason: 'the sum is 3; expected 4.' });
  });

  it("is fail with the code of a rank's error", async () => {
    const throws = caseOf(async ({ run }) => {
      await run(async (comm) => {
        if (comm.rank === 1) throw new NcclError('NCCL_REMOTE_ERROR', 'gone');
      });
    });
    expect(await verdictOf(throws)).toMatchObject({ verdict: 'fail', code: 'NCCL_REMOTE_ERROR', reason: 'gone' });
  });

  it("is 'fail' with the code 'error' if the case throws any other error", async () => {
    const throws = caseOf(async () => {
      throw new TypeError('no such thing');
    });
    expect(await verdictOf(throws)).toMatchObject({ verdict: 'fail', code: 'error', reason: 'no such thing' });
  });

  it('is fail with timeout if the case does not end', async () => {
    const hangs = caseOf(() => new Promise(() => {}));
    const verdict = await verdictOf(hangs, { timeoutMilliseconds: 5 });
    expect(verdict).toMatchObject({ verdict: 'fail', code: 'timeout' });
  });

  it('is unsupported if no such world can be opened', async () => {
    const refuses = (): never => {
      throw new NcclError('NCCLTS_NOT_SUPPORTED', 'one rank at most');
    };
    expect(await verdictOf(caseOf(right), { backend: refuses })).toMatchObject({
      verdict: 'unsupported',
      reason: 'one rank at most',
    });
    const others = (): ReturnType<typeof stubBackend> => stubBackend({ ranks: 4, lsaSize: 2 });
    expect(await verdictOf(caseOf(right), { backend: others })).toMatchObject({
      verdict: 'unsupported',
      reason: 'asked for 2 ranks in domains of 2, but the backend has 4 in domains of 2',
    });
  });
});

describe('a feature that a backend lacks', () => {
  it('is unsupported, with the reason, if its kernels were refused', async () => {
    const ran: string[] = [];
    const run = async (): Promise<void> => void ran.push('ran');
    const printing = caseOf(run, { requires: { print: true }, kernels: [prints] });
    expect(await verdictOf(printing)).toMatchObject({ verdict: 'unsupported', reason: 'lacks print' });
    const wide = caseOf(run, { requires: { scalars: ['f64'] }, kernels: [doubles] });
    expect(await verdictOf(wide)).toMatchObject({ verdict: 'unsupported', reason: 'lacks the scalar f64' });
    expect(ran).toEqual([]);
  });

  it('fails if the backend runs it anyway', async () => {
    const harmless = caseOf(right, { requires: { print: true }, kernels: [nothing] });
    expect(await verdictOf(harmless)).toMatchObject({ verdict: 'fail', code: 'not-refused' });
  });

  it('may be refused by the launch', async () => {
    const large = caseOf(
      async ({ run }) => {
        await run(async (comm) => comm.launch(nothing, { grid: 1, block: 256 }, {}));
      },
      { requires: { blockThreads: 256 } },
    );
    expect(await verdictOf(large)).toMatchObject({
      verdict: 'unsupported',
      reason: 'lacks 256 threads of a CTA; it has 128',
    });
  });

  it('is not tried if the lack has no visible effect', async () => {
    const unchecked = caseOf(wrong, { requires: { checks: ['bounds'] } });
    expect(await verdictOf(unchecked)).toMatchObject({ verdict: 'unsupported', reason: 'lacks the check of bounds' });
  });
});

describe('an expectation', () => {
  const expected: Expectation = {
    case: 'teams/as-parameter',
    when: {},
    code: 'mismatch',
    reason: 'known',
    link: 'https://example.org/1',
  };

  it('turns a failure into an expected one', async () => {
    const verdict = await verdictOf(caseOf(wrong), { expectations: [expected] });
    expect(verdict).toMatchObject({
      verdict: 'expected-failure',
      code: 'mismatch',
      reason: 'known',
      link: 'https://example.org/1',
    });
  });

  it('fails the run if the case passes', async () => {
    const verdict = await verdictOf(caseOf(right), { expectations: [expected] });
    expect(verdict).toMatchObject({ verdict: 'fail', code: 'unexpected-pass' });
  });

  it('fails the run if the case fails with another code', async () => {
    const verdict = await verdictOf(caseOf(wrong), { expectations: [{ ...expected, code: 'NCCLTS_COMPILE' }] });
    expect(verdict).toMatchObject({ verdict: 'fail', code: 'mismatch' });
  });

  it('applies to the shapes and variants that it names', async () => {
    const elsewhere: Expectation = { ...expected, when: { ranks: [4] } };
    expect((await verdictOf(caseOf(wrong), { expectations: [elsewhere] })).verdict).toBe('fail');
    const here: Expectation = { ...expected, when: { ranks: [1, 2], lsaSize: [2], variant: ['plain'] } };
    expect((await verdictOf(caseOf(wrong), { expectations: [here] })).verdict).toBe('expected-failure');
  });

  it('names an existing case', () => {
    // @ts-expect-error a misspelt id
    const misspelt: Expectation = { ...expected, case: 'teams/as-paramater' };
    expect(misspelt.code).toBe('mismatch');
  });
});

describe('runConformance', () => {
  it('reports every run: plain, over sub-teams, and with a recorder', async () => {
    const told: CaseVerdict[] = [];
    const teams: string[] = [];
    const one = caseOf(async ({ team }) => void teams.push(team), { ranks: [1, 2], derivesTeam: true });
    const report = await runConformance({ name: 'stub', backend: stubBackend, cases: [one] }, (verdict) =>
      told.push(verdict),
    );
    expect(report.verdicts.map(({ ranks, variant }) => `${ranks} ${variant}`)).toEqual([
      '1 plain',
      '2 plain',
      '2 sub-team',
      '1 recorded',
      '2 recorded',
    ]);
    expect(teams).toEqual(['lsa', 'lsa', 'inner', 'lsa', 'lsa']);
    expect(told).toEqual(report.verdicts);
    expect(report).toMatchObject({ ok: true, counts: { pass: 5, fail: 0, 'expected-failure': 0, unsupported: 0 } });
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it('is not ok if an expectation matches no run', async () => {
    const left: Expectation = {
      case: 'scalars/bool',
      when: {},
      code: 'mismatch',
      reason: 'gone',
      link: 'https://example.org/2',
    };
    const report = await runConformance({
      name: 'stub',
      backend: stubBackend,
      cases: [caseOf(right)],
      expectations: [left],
    });
    expect(report).toMatchObject({ ok: false, unusedExpectations: [left] });
  });

  it('requires cases', async () => {
    await expect(runConformance({ name: 'stub', backend: stubBackend, cases: [] })).rejects.toThrow('no cases');
  });
});

describe('defineCase', () => {
  it('tries every domain size that divides the ranks', () => {
    const { shapes } = caseOf(right, { ranks: [2, 6], lsaSizes: [1, 2, 3, 4] });
    expect(shapes.map(({ ranks, lsaSize }) => `${ranks}/${lsaSize}`)).toEqual(['2/1', '2/2', '6/1', '6/2', '6/3']);
  });

  it('freezes its result', () => {
    const one = caseOf(right, { requires: { print: true } });
    expect([one, one.shapes, one.shapes[0], one.requires, one.kernels].every(Object.isFrozen)).toBe(true);
  });

  it('refuses a case without a shape', () => {
    expect(() => caseOf(right, { ranks: [2], lsaSizes: [4] })).toThrow(TypeError);
  });
});
