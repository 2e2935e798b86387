import { Approximations, type Approximation } from './approximation.ts';
import type { CheckReport } from './check-report.ts';
import type { Proof } from './proof.ts';
import { emptyScope, joinScopes, type CheckedScope } from './checked-scope.ts';
import { findingKindNames, findingKinds, type FindingKind, type Verdict } from './finding-kinds.ts';
import { deepFreeze } from './deep-freeze.ts';
import { findingKey } from './finding-key.ts';
import { SpreadOf, type FindingSpread } from './finding-spread.ts';
import type { Finding, Severity } from './finding.ts';

/** The findings of one run, or of a report over several. */
export interface CheckedRun {
  /** One finding for each sighting, or one for all sightings together with `seen`. */
  readonly findings: readonly Finding[];
  /** The number of sightings of each finding. @default 1 */
  readonly seen?: readonly number[];
  /** The extent of each finding's sightings. @default that of the finding itself */
  readonly spread?: readonly FindingSpread[];
  /** The number of accesses that were checked. */
  readonly accesses: number;
  /** The launches of the run. @default none */
  readonly scope?: CheckedScope;
  /**
   * The executed constructs that are not modelled exactly.
   * @default none
   */
  readonly approximations?: readonly Approximation[];
}

export interface ReportOptions {
  /** True to treat `model` findings as errors. @default false */
  readonly strict?: boolean;
}

export interface ReportInput extends ReportOptions {
  readonly runs: Iterable<CheckedRun>;
  /** The claim that a clean verdict makes. */
  readonly proves: Proof;
}

/**
 * Makes one report of many runs. Findings with the same kind and source locations are merged.
 *
 * If a limit was reached, the report proves nothing. Its verdict is `incomplete`, unless a finding
 * is worse. Either `proves` or a finding may state that.
 */
export function buildReport({ runs, proves, ...options }: ReportInput): CheckReport {
  const builder = new ReportBuilder(options);
  for (const run of runs) builder.add(run);
  return builder.report(proves);
}

interface MergedFinding {
  finding: Finding;
  seen: number;
  readonly spread: SpreadOf;
}

/**
 * Collects runs one by one, and can make a report at any time. Its memory does not grow with the
 * number of runs.
 */
export class ReportBuilder {
  readonly #strict: boolean;
  readonly #entries = new Map<string, MergedFinding>();
  readonly #approximations = new Approximations();
  #accesses = 0;
  #scope = emptyScope;

  constructor({ strict = false }: ReportOptions = {}) {
    this.#strict = strict;
  }

  add({ findings, seen, spread, accesses, approximations = [], scope }: CheckedRun): void {
    this.#accesses += accesses;
    for (const one of approximations) this.#approximations.add(one);
    if (scope !== undefined) this.#scope = joinScopes([this.#scope, scope]);
    findings.forEach((finding, i) => this.#see(finding, seen?.[i] ?? 1, spread?.[i]));
  }

  report(proves: Proof): CheckReport {
    const entries = [...this.#entries.values()].toSorted((a, b) => byBadness(a.finding, b.finding));
    const findings = entries.map(({ finding }) => finding);
    const bound = findings.find(({ kind }) => kind === 'incomplete')?.message;
    const approximations = this.#approximations.list;
    const proof: Proof = bound === undefined ? claimOf(proves, approximations) : { kind: 'nothing', bound };
    return deepFreeze({
      verdict: verdictFor(findings, proof),
      proves: proof,
      findings,
      seen: entries.map(({ seen }) => seen),
      spread: entries.map(({ spread }) => spread.value()),
      accesses: this.#accesses,
      scope: this.#scope,
      approximations,
    });
  }

  #see(given: Finding, times: number, spread: FindingSpread | undefined): void {
    const finding = this.#strict && given.severity === 'model' ? { ...given, severity: 'error' as const } : given;
    const key = findingKey(finding);
    const known = this.#entries.get(key);
    const entry = known ?? { finding, seen: 0, spread: new SpreadOf(finding) };
    if (known === undefined) this.#entries.set(key, entry);
    else entry.finding = together(known.finding, finding);
    entry.seen += times;
    if (spread === undefined) entry.spread.add(finding);
    else entry.spread.merge(finding, spread);
  }
}

/**
 * A claim about every schedule holds for machines only if all that was executed is modelled
 * exactly.
 */
function claimOf(proof: Proof, approximations: readonly Approximation[]): Proof {
  return proof.kind === 'all schedules' && approximations.length > 0 ? { ...proof, kind: 'modelled schedules' } : proof;
}

/** The first sighting, with the severity and certainty of the worst. */
function together(first: Finding, next: Finding): Finding {
  const worse = severityRank[next.severity] < severityRank[first.severity];
  const surer = first.certainty === 'this schedule' && next.certainty === 'every schedule';
  if (!worse && !surer) return first;
  const certainty = surer ? next.certainty : first.certainty;
  return worse ? { ...next, certainty } : { ...first, certainty };
}

/** Sorts findings, the worst first. */
export const severityRank: Readonly<Record<Severity, number>> = { error: 0, model: 1, note: 2 };

const kindRank = (kind: FindingKind): number => findingKindNames.indexOf(kind);

function byBadness(a: Finding, b: Finding): number {
  const certain = (finding: Finding): number => (finding.certainty === 'every schedule' ? 0 : 1);
  return (
    severityRank[a.severity] - severityRank[b.severity] ||
    kindRank(a.kind) - kindRank(b.kind) ||
    certain(a) - certain(b) ||
    insideOthers(a) - insideOthers(b)
  );
}

/**
 * The number of a finding's accesses inside functions that the author calls but did not write. Most
 * of these follow from mistakes in the author's own lines. Accesses of the network do not count,
 * because the author requested them.
 */
function insideOthers({ labels }: Finding): number {
  return labels.filter(
    ({ agent, place: location }) => agent === 'thread' && location?.inlinedAt !== undefined && location.isOwn !== true,
  ).length;
}

function verdictFor(findings: readonly Finding[], proof: Proof): Verdict {
  const worst = findings.find(({ severity, kind }) => severity === 'error' && kind !== 'incomplete');
  if (worst !== undefined) return findingKinds[worst.kind].verdict;
  return proof.kind === 'nothing' ? 'incomplete' : 'clean';
}
