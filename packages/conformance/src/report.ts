import type { Capabilities } from '@nccl-ts/ir';
import type { Expectation } from './expectation.ts';
import { verdicts, type CaseVerdict, type Verdict } from './verdict.ts';
import { shapeName } from './world-shape.ts';

/** The results of a run of the suite. JSON-serialisable. */
export interface ConformanceReport {
  /** The backend's name, as passed to the run. */
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly verdicts: readonly CaseVerdict[];
  readonly counts: Readonly<Record<Verdict, number>>;
  /** The expectations that applied to no run. */
  readonly unusedExpectations: readonly Expectation[];
  /** True if nothing failed and every expectation was met. */
  readonly ok: boolean;
}

/** Counts verdicts of each kind. */
export function countVerdicts(all: readonly CaseVerdict[]): Readonly<Record<Verdict, number>> {
  const counts: Record<Verdict, number> = { pass: 0, fail: 0, 'expected-failure': 0, unsupported: 0 };
  for (const kind of verdicts) counts[kind] = all.filter(({ verdict }) => verdict === kind).length;
  return Object.freeze(counts);
}

/**
 * The text of a backend's `conformance.lock.json`. It has a verdict for each case, or one for each
 * of its runs if they differ. It is sorted, so that a change makes a small diff.
 */
export function lockText(all: readonly CaseVerdict[]): string {
  const byCase = new Map<string, CaseVerdict[]>();
  for (const verdict of all) byCase.set(verdict.case, [...(byCase.get(verdict.case) ?? []), verdict]);
  const ids = [...byCase.keys()].sort(byText);
  return `${JSON.stringify(Object.fromEntries(ids.map((id) => [id, locked(byCase.get(id) ?? [])])), undefined, 2)}\n`;
}

/**
 * The verdicts in `found` that differ from the lock file with the text `lock`. Runs that are not in
 * `found` do not count as differences.
 */
export function lockProblems(lock: string, found: readonly CaseVerdict[]): readonly string[] {
  const known: unknown = JSON.parse(lock);
  return found.flatMap((run) => {
    const entry = memberOf(known, run.case);
    const wanted = typeof entry === 'string' ? entry : memberOf(entry, runName(run));
    const is = lockedVerdict(run);
    return is === wanted
      ? []
      : [
          `${run.case} ${runName(run)}: ${is}, ${typeof wanted === 'string' ? `not ${wanted}` : 'which the lock file lacks'}`,
        ];
  });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function locked(runs: readonly CaseVerdict[]): string | Readonly<Record<string, string>> {
  const [first, ...others] = runs.map(lockedVerdict);
  if (first !== undefined && others.every((other) => other === first)) return first;
  const named = runs.map((run): [string, string] => [runName(run), lockedVerdict(run)]);
  return Object.fromEntries(named.sort(([a], [b]) => byText(a, b)));
}

/** Only a failure's code is compared, because reasons and times differ between runs. */
function lockedVerdict({ verdict, code }: CaseVerdict): string {
  return code === undefined ? verdict : `${verdict}: ${code}`;
}

function runName(run: CaseVerdict): string {
  return run.variant === 'plain' ? shapeName(run) : `${shapeName(run)} ${run.variant}`;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
