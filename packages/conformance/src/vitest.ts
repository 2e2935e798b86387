/* oxlint-disable vitest/valid-title, vitest/no-conditional-tests -- this file makes tests out of data */
import { describe, expect, it } from 'vitest';
import { allCases, type CaseId } from './all-cases.ts';
import { mutants } from './mutants/mutants.ts';
import { lockProblems, lockText } from './report.ts';
import { caseRuns, runCase, type CaseRun } from './run-case.ts';
import { unusedExpectations, type ConformanceOptions } from './run-conformance.ts';
import type { CaseVerdict, Variant } from './verdict.ts';
import { shapeName, type WorldShape } from './world-shape.ts';

export interface VitestConformanceOptions extends ConformanceOptions {
  /**
   * The file with the backend's verdicts, relative to the test file: `../conformance.lock.json`. If
   * absent, verdicts are not compared.
   */
  readonly lock?: string;
  /**
   * True to run several cases at the same time. Use it if a case mostly waits for a device. The
   * time limit of each case must then allow for the others.
   * @default false
   */
  readonly concurrent?: boolean;
  /** The variants in which cases run. @default all */
  readonly variants?: readonly Variant[];
  /** A filter of the runs. @default all runs */
  readonly sample?: RunSample;
}

/** Some of the runs of a suite. */
export interface RunSample {
  readonly takes: (run: CaseRun) => boolean;
  /** The text of the lock file with which the verdicts of these runs are compared. */
  readonly lockText?: string;
}

const allVariants: readonly Variant[] = ['plain', 'sub-team', 'recorded'];

const titles: Readonly<Record<Variant, string>> = {
  plain: 'conforms',
  'sub-team': 'conforms over sub-teams',
  recorded: 'conforms behind a recorder',
};

/**
 * Registers the suite with vitest. Each case, shape and variant is a test, and one more test
 * compares all verdicts with the lock file. `vitest -u` rewrites the lock file. If the backend
 * lacks a feature that a case needs, the test checks that the backend refuses the case, and then
 * skips it with the reason.
 */
export function conformance(options: VitestConformanceOptions): void {
  const { name, cases = allCases, expectations = [], lock, concurrent = false, variants = allVariants } = options;
  const { sample } = options;
  const all = caseRuns(cases).filter(({ variant }) => variants.includes(variant));
  const runs = sample === undefined ? all : all.filter((run) => sample.takes(run));
  const found: CaseVerdict[] = [];
  describe(name, () => {
    for (const variant of variants) {
      const ofVariant = runs.filter((run) => run.variant === variant);
      if (ofVariant.length === 0) continue;
      describe(titles[variant], { concurrent }, () => {
        register(ofVariant, options, found);
      });
    }
    it('matches every expectation at least once', () => {
      expect(unusedExpectations(expectations, all)).toEqual([]);
    });
    if (sample !== undefined) {
      it('has the verdicts of its lock file for the cases that ran', () => {
        expect(sample.lockText === undefined ? [] : lockProblems(sample.lockText, found)).toEqual([]);
      });
      return;
    }
    if (lock === undefined) return;
    it('has the verdicts of its lock file', async ({ skip }) => {
      if (found.length < runs.length) skip('some cases were not run');
      await expect(lockText(found)).toMatchFileSnapshot(lock);
    });
  });
}

function register(runs: readonly CaseRun[], options: ConformanceOptions, found: CaseVerdict[]): void {
  const timeout = 2 * (options.timeoutMilliseconds ?? 60_000);
  const byTheme = new Map<string, CaseRun[]>();
  for (const run of runs) {
    const theme = run.case.id.split('/', 1).join('');
    byTheme.set(theme, [...(byTheme.get(theme) ?? []), run]);
  }
  for (const [theme, ofTheme] of byTheme) {
    describe(theme, () => {
      for (const run of ofTheme) {
        const { ranks } = run.shape;
        it(`${run.case.id} on ${shapeName(run.shape)} rank${ranks === 1 ? '' : 's'}`, { timeout }, async ({ skip }) => {
          const { verdict, error } = await runCase(run, options);
          found.push(verdict);
          if (verdict.verdict === 'unsupported') skip(verdict.reason);
          if (verdict.verdict === 'fail') throw new Error(`${verdict.code}: ${verdict.reason}`, { cause: error });
          expect(['pass', 'expected-failure']).toContain(verdict.verdict);
        });
      }
    });
  }
}

/** A case that does not detect a mutant on this backend, although it does on others. */
export interface UnseenMutant {
  /** The `id` of the mutant. */
  readonly mutant: string;
  readonly case: CaseId;
  /** The reason, in a sentence. */
  readonly reason: string;
}

/** The options of `conformanceMutants` about the backend; see `VitestConformanceOptions`. */
export interface VitestMutantsOptions extends Pick<
  VitestConformanceOptions,
  'name' | 'backend' | 'timeoutMilliseconds' | 'concurrent'
> {
  /** The cases to skip, each with its reason. */
  readonly unseen?: readonly UnseenMutant[];
}

/**
 * Registers a test for each mutant. The mutant breaks the backend on purpose, and each of its named
 * cases must then fail. Cases whose requirements the backend lacks are omitted.
 */
export function conformanceMutants(options: VitestMutantsOptions): void {
  const { name, backend, concurrent = false, unseen = [] } = options;
  const timeout = 2 * (options.timeoutMilliseconds ?? 60_000);
  describe(`${name}, broken on purpose`, () => {
    describe('shows it', { concurrent }, () => {
      for (const mutant of mutants) {
        for (const one of allCases.filter(({ id }) => mutant.caughtBy.includes(id))) {
          it(`${mutant.does}: ${one.id} fails`, { timeout }, async ({ skip }) => {
            const hidden = unseen.find((hides) => hides.mutant === mutant.id && hides.case === one.id);
            if (hidden !== undefined) skip(hidden.reason);
            const broken = { ...options, backend: (shape: WorldShape) => mutant.mutate(backend(shape)) };
            const verdicts: CaseVerdict[] = [];
            for (const run of caseRuns([one]).filter(({ variant }) => variant === 'plain')) {
              verdicts.push((await runCase(run, broken)).verdict);
              if (verdicts.at(-1)?.verdict === 'fail') break;
            }
            if (verdicts.every(({ verdict }) => verdict === 'unsupported'))
              skip('the backend lacks what the case needs');
            expect(verdicts.map(({ verdict }) => verdict)).toContain('fail');
            // A mutant that does not compile would fail everything and show nothing.
            expect(verdicts.map(({ code }) => code)).not.toContain('NCCL_INTERNAL_ERROR');
          });
        }
      }
    });
    it('has the name of an existing one', () => {
      const wrong = unseen.filter(
        (hides) => !mutants.some(({ id, caughtBy }) => id === hides.mutant && caughtBy.includes(hides.case)),
      );
      expect(wrong).toEqual([]);
    });
  });
}
