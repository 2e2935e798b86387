import type { CheckReport, Proof, Verdict } from './check-report.ts';
import { findingKindNames, findingKinds } from './finding-kinds.ts';
import { deepFreeze } from './deep-freeze.ts';
import { findingKey } from './finding-key.ts';
import { SpreadOf, type FindingSpread } from './finding-spread.ts';
import type { Finding, FindingKind, Severity } from './finding.ts';

/** What one run, or a report over several, has found. */
export interface CheckedRun {
  /** One for each time that something was seen, or one for all of them with `seen`. */
  readonly findings: readonly Finding[];
  /** How often each was seen. Default: once. */
  readonly seen?: readonly number[];
  /** Where each was seen. Default: where the finding itself says. */
  readonly spread?: readonly FindingSpread[];
  /** Accesses that were checked. */
  readonly accesses: number;
}

export interface ReportOptions {
  /** Makes errors of `model` findings. Default: false. */
  readonly strict?: boolean;
}

export interface ReportInput extends ReportOptions {
  readonly runs: Iterable<CheckedRun>;
  /** What it says where nothing is found. */
  readonly proves: Proof;
}

/**
 * One report over many runs: findings that have the kind and the places in common are one.
 *
 * A report that has nothing worse is `incomplete`, and proves nothing, where a bound was reached:
 * whether `proves` says so or one of the findings.
 */
export function buildReport({ runs, proves, ...options }: ReportInput): CheckReport {
  const builder = new ReportBuilder(options);
  for (const run of runs) builder.add(run);
  return builder.report(proves);
}

interface Entry {
  finding: Finding;
  seen: number;
  readonly spread: SpreadOf;
}

/**
 * Takes runs in one by one, and makes a report of those it has, any time. What it keeps does not
 * grow with the runs.
 */
export class ReportBuilder {
  readonly #strict: boolean;
  readonly #entries = new Map<string, Entry>();
  #accesses = 0;

  constructor({ strict = false }: ReportOptions = {}) {
    this.#strict = strict;
  }

  add({ findings, seen, spread, accesses }: CheckedRun): void {
    this.#accesses += accesses;
    findings.forEach((finding, i) => this.#see(finding, seen?.[i] ?? 1, spread?.[i]));
  }

  report(proves: Proof): CheckReport {
    const entries = [...this.#entries.values()].toSorted((a, b) => byBadness(a.finding, b.finding));
    const findings = entries.map(({ finding }) => finding);
    const bound = findings.find(({ kind }) => kind === 'incomplete')?.message;
    const proof: Proof = bound === undefined ? proves : { kind: 'nothing', bound };
    return deepFreeze({
      verdict: verdictFor(findings, proof),
      proves: proof,
      findings,
      seen: entries.map(({ seen }) => seen),
      spread: entries.map(({ spread }) => spread.value()),
      accesses: this.#accesses,
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

/** The first sighting, as bad and as certain as the worst. */
function together(first: Finding, next: Finding): Finding {
  const worse = severityRank[next.severity] < severityRank[first.severity];
  const surer = first.certainty === 'this schedule' && next.certainty === 'every schedule';
  if (!worse && !surer) return first;
  const certainty = surer ? next.certainty : first.certainty;
  return worse ? { ...next, certainty } : { ...first, certainty };
}

/** The worst first. */
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
 * How many accesses of its threads are inside functions that the author calls and has not written.
 * Mostly these follow from mistakes in the author's own lines. What the network does for a thread,
 * the author has asked for.
 */
function insideOthers({ labels }: Finding): number {
  return labels.filter(
    ({ agent, place }) => agent === 'thread' && place?.inlinedAt !== undefined && place.isOwn !== true,
  ).length;
}

function verdictFor(findings: readonly Finding[], proof: Proof): Verdict {
  const worst = findings.find(({ severity, kind }) => severity === 'error' && kind !== 'incomplete');
  if (worst !== undefined) return findingKinds[worst.kind].verdict;
  return proof.kind === 'nothing' ? 'incomplete' : 'clean';
}
