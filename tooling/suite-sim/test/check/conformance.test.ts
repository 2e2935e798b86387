import { sim, type SimBackend } from '@nccl-ts/backend-sim';
import { allCases, caseRuns, runCase, type CaseRun } from '@nccl-ts/conformance';
import { renderReport } from '@nccl-ts/findings';
import { describe, expect, inject, it } from 'vitest';

/**
 * One of this many cases of a theme runs. With NCCLTS_EVERY_CASE set, all run, which takes some
 * minutes.
 */
const step = inject('everyCase') ? 1 : 16;

/**
 * Cases that race on purpose or because of NCCL's own code, with the reason.
 *
 * - An unused session: NCCL's destructor stores in thread 0 what its constructor loads in all
 *   threads, and only uses of the session in between synchronize them.
 */
const racing: Readonly<Record<string, string>> = {
  'barriers/epochs/across-launches': 'a session that nobody uses',
  'barriers/epochs/per-cta': 'a session that nobody uses',
  'hybrid-barriers/per-index': 'a session that nobody uses',
  'll-a2a/epochs/across-launches': 'a session that nobody uses',
  'multimem/barriers/epochs': 'a session that nobody uses',
  'barriers/epochs/two-dev-comms': 'the host looks while the next kernel of another rank may have begun',
  'fabric/traps/host-endpoint-kind': 'no fence of the fabric proxy is between the puts of two launches',
  'fabric/traps/host-endpoint-offset': 'no fence of the fabric proxy is between the puts of two launches',
  'gin/traps/context-past-count': 'a launch does not wait for the puts of the one before it',
  'gin/traps/counter-past-count': 'a launch does not wait for the puts of the one before it',
  'gin/traps/outside-window': 'a launch does not wait for the puts of the one before it',
  'gin/traps/peer-not-listed': 'a launch does not wait for the puts of the one before it',
  'gin/traps/peer-off-rail': 'a launch does not wait for the puts of the one before it',
  'gin/traps/peer-off-stride': 'a launch does not wait for the puts of the one before it',
  'gin/traps/peer-outside-team': 'a launch does not wait for the puts of the one before it',
};

/** Cases that violate a rule on purpose, which is reported before it does harm. */
const misusing: Readonly<Record<string, string>> = {
  'gin/traps/va-touched': 'it stores to the word of a VA signal',
};

/**
 * Returns each case once, in the smallest world that it supports, except cases whose kernels end in
 * faults.
 */
function smallestRuns(): readonly CaseRun[] {
  const smallest = new Map<string, CaseRun>();
  for (const run of caseRuns(allCases)) {
    if (run.variant !== 'plain' || run.case.id.startsWith('checks/')) continue;
    const known = smallest.get(run.case.id);
    if (known === undefined || known.shape.ranks > run.shape.ranks) smallest.set(run.case.id, run);
  }
  return [...smallest.values()];
}

/** Runs a case that must pass. Returns the findings of its worlds. */
async function checked(run: CaseRun): Promise<readonly ReturnType<SimBackend['report']>[]> {
  const backends: SimBackend[] = [];
  const { verdict } = await runCase(run, {
    backend: (shape) => {
      const backend = sim({ ...shape, mode: 'check' });
      backends.push(backend);
      return backend;
    },
  });
  expect(verdict).toMatchObject({ case: run.case.id, verdict: 'pass' });
  return backends.flatMap((backend) => (backend.isOpened ? [backend.report()] : []));
}

/** The quick tests have one of four. */
const isNow = (_: unknown, i: number): boolean => (i % 4 === 0) !== inject('slow');

const themes = [...new Set(smallestRuns().map(({ case: { id } }) => id.split('/', 1).join('')))].filter(isNow);

describe('in check mode, cases have the same results and no findings', () => {
  it.each(themes)(
    'check mode gives the cases of theme %s the same results, without findings',
    { timeout: 400_000 },
    async (theme) => {
      const runs = smallestRuns().filter(
        ({ case: { id } }) => id.startsWith(`${theme}/`) && !Object.hasOwn({ ...racing, ...misusing }, id),
      );
      for (const run of runs.filter((_, i) => i % step === 0)) {
        for (const report of await checked(run)) {
          // The faults and deadlocks that a case is about.
          const wrong = report.findings.filter((one) => one.severity === 'error' && !one.fault && !one.deadlock);
          expect({ case: run.case.id, wrong: wrong.length === 0 ? '' : renderReport(report) }).toEqual({
            case: run.case.id,
            wrong: '',
          });
        }
      }
    },
  );
});

describe('violations in the suite itself are reported', () => {
  it.each(Object.entries(misusing))('%s is reported: %s', { timeout: 120_000 }, async (id) => {
    const run = smallestRuns().find((one) => one.case.id === id);
    if (run === undefined) throw new Error(`There is no case ${id}.`);
    const found = (await checked(run)).flatMap(({ findings }) => findings);
    // In addition to the fault that the case is about.
    expect(found.filter(({ kind, fault }) => kind === 'misuse' && fault === undefined)).not.toEqual([]);
  });
});

describe('races in the suite itself are reported', () => {
  it.each(Object.entries(racing).filter(isNow))('%s: %s', { timeout: 120_000 }, async (id) => {
    const run = smallestRuns().find((one) => one.case.id === id);
    if (run === undefined) throw new Error(`There is no case ${id}.`);
    const verdicts = (await checked(run)).map(({ verdict }) => verdict);
    expect(verdicts).toContain('race');
  });
});
