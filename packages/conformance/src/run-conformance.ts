import { allCases } from './all-cases.ts';
import type { Case } from './case.ts';
import { applies, type Expectation } from './expectation.ts';
import { countVerdicts, type ConformanceReport } from './report.ts';
import { caseRuns, runCase, type CaseRun, type RunCaseOptions } from './run-case.ts';
import type { CaseVerdict } from './verdict.ts';

export interface ConformanceOptions extends RunCaseOptions {
  /** The name of the backend, for reports. */
  readonly name: string;
  /** @default all cases */
  readonly cases?: readonly Case[];
}

/**
 * Runs the suite, one run after the other, without a test runner: for a browser page, or a command
 * on a GPU machine that prints the report as JSON.
 *
 * @param onVerdict is called with each verdict.
 */
export async function runConformance(
  options: ConformanceOptions,
  onVerdict?: (verdict: CaseVerdict) => void,
): Promise<ConformanceReport> {
  const { name, cases = allCases, expectations = [] } = options;
  const runs = caseRuns(cases);
  const verdicts: CaseVerdict[] = [];
  for (const run of runs) {
    const { verdict } = await runCase(run, options);
    verdicts.push(verdict);
    onVerdict?.(verdict);
  }
  const counts = countVerdicts(verdicts);
  const unused = unusedExpectations(expectations, runs);
  const [first] = runs;
  if (first === undefined) throw new RangeError('runConformance: there are no cases to run.');
  return Object.freeze({
    name,
    capabilities: options.backend(first.shape).capabilities,
    verdicts: Object.freeze(verdicts),
    counts,
    unusedExpectations: unused,
    ok: counts.fail === 0 && unused.length === 0,
  });
}

/** Expectations that match none of these runs, because they are outdated or were never right. */
export function unusedExpectations(
  expectations: readonly Expectation[],
  runs: readonly CaseRun[],
): readonly Expectation[] {
  return expectations.filter(
    (expectation) => !runs.some(({ case: { id }, shape, variant }) => applies(expectation, id, shape, variant)),
  );
}
