import { isNcclError } from '@nccl-ts/core';
import type { DeadlockReport } from '../deadlock-report.ts';
import type { WordChange } from '../word-history.ts';
import type { FaultReport } from '../fault-report.ts';
import type { CheckReport } from './check-report.ts';
import type { Proof } from './proof.ts';
import type { RanksOutcome } from './ranks-outcome.ts';
import type { CheckedScope } from './checked-scope.ts';
import type { Approximation } from './approximation.ts';
import type { Verdict } from './finding-kinds.ts';
import { findingFingerprint } from './finding-fingerprint.ts';
import type { FindingSpread } from './finding-spread.ts';
import type { Finding, MissingIngredient } from './finding.ts';
import type { FindingLabel } from '../finding-label.ts';
import { locationJson, type LocationJson } from './location-json.ts';

/**
 * The version of the format of `reportToJson`. It changes if a field is removed or changes its
 * meaning, but not if a field is added.
 */
export const CHECK_REPORT_VERSION = 1;

/**
 * The `$id` of the JSON Schema for reports of this version. The package contains the schema as
 * `schema/check-report.v1.json`.
 */
export const CHECK_REPORT_SCHEMA = 'urn:nccl-ts:check-report:1';

/** A check report as plain JSON. */
export interface CheckReportJson {
  readonly $schema: typeof CHECK_REPORT_SCHEMA;
  readonly format: 'nccl-ts/check-report';
  readonly version: typeof CHECK_REPORT_VERSION;
  readonly verdict: Verdict;
  readonly proves: Proof;
  readonly accesses: number;
  readonly scope: CheckedScope;
  readonly byRanks?: readonly RanksOutcome[];
  /** The executed constructs that are not modelled exactly. */
  readonly approximations: readonly ApproximationJson[];
  readonly findings: readonly FindingJson[];
}

export interface ApproximationJson extends Omit<Approximation, 'place'> {
  readonly place?: LocationJson;
}

/**
 * A finding in the JSON report, with the report's facts about it and shortened source locations.
 */
export interface FindingJson extends Omit<Finding, 'labels' | 'missing' | 'deadlock' | 'fault'> {
  /**
   * Does not change if lines move, because it depends on the kind, the actions and the text of the
   * lines.
   * @see findingFingerprint
   */
  readonly fingerprint: string;
  readonly labels: readonly LabelJson[];
  readonly missing: readonly MissingJson[];
  readonly seen: number;
  readonly spread?: FindingSpread;
  /**
   * The deadlock, with shortened source locations. Words and bytes beyond 2^53 are text, and errors
   * are a code and a message.
   */
  readonly deadlock?: unknown;
  readonly fault?: unknown;
}

export interface LabelJson extends Omit<FindingLabel, 'place'> {
  readonly place?: LocationJson;
}

export interface MissingJson extends Omit<MissingIngredient, 'at'> {
  readonly at?: LabelJson;
}

/** Converts the report to plain values for `JSON.stringify`. Equal reports give equal text. */
export function reportToJson(report: CheckReport): CheckReportJson {
  const { verdict, proves, accesses, scope, byRanks, approximations, findings, seen, spread } = report;
  return {
    $schema: CHECK_REPORT_SCHEMA,
    format: 'nccl-ts/check-report',
    version: CHECK_REPORT_VERSION,
    verdict,
    proves,
    accesses,
    scope,
    ...(byRanks === undefined ? {} : { byRanks }),
    approximations: approximations.map(approximationJson),
    findings: findings.map((finding, i) => findingJson(finding, seen[i] ?? 1, spread[i])),
  };
}

function approximationJson({ place: location, ...rest }: Approximation): ApproximationJson {
  return location === undefined ? rest : { ...rest, place: locationJson(location) };
}

/** One finding of a report, as the report's JSON has it. */
export function findingJson(finding: Finding, seen: number, spread?: FindingSpread): FindingJson {
  const { kind, severity, message, labels, bytes, missing, certainty, schedule, sequence, deadlock, fault } = finding;
  return {
    kind,
    severity,
    message,
    fingerprint: findingFingerprint(finding),
    labels: labels.map(labelJson),
    ...(bytes === undefined ? {} : { bytes }),
    missing: missing.map(missingJson),
    certainty,
    schedule,
    ...(sequence === undefined ? {} : { sequence }),
    seen,
    ...(spread === undefined ? {} : { spread }),
    ...(deadlock === undefined ? {} : { deadlock: deadlockJson(deadlock) }),
    ...(fault === undefined ? {} : { fault: faultJson(fault) }),
  };
}

function labelJson({ place: location, ...label }: FindingLabel): LabelJson {
  return location === undefined ? label : { ...label, place: locationJson(location) };
}

function missingJson({ at, ...missing }: MissingIngredient): MissingJson {
  return at === undefined ? missing : { ...missing, at: labelJson(at) };
}

function deadlockJson({ livelock, waiting, unstarted, queued, missing }: DeadlockReport): unknown {
  return {
    ...(livelock === undefined ? {} : { livelock }),
    waiting: waiting.map(({ place: location, words, ...group }) => ({
      ...group,
      ...(location === undefined ? {} : { place: locationJson(location) }),
      // Returns a number if every reader of JSON supports it, and otherwise text.
      words: words.map(({ value, history, ...word }) => ({
        ...word,
        value: typeof value === 'bigint' ? String(value) : value,
        ...(history === undefined ? {} : { changes: history.changes.map(changeJson) }),
      })),
    })),
    unstarted,
    queued,
    missing: missing.map(({ failure, ...rank }) => ({
      ...rank,
      ...(isNcclError(failure) ? { failure: { code: failure.code, message: failure.message } } : {}),
    })),
  };
}

function changeJson({ by, isUpdate, was, value }: WordChange): unknown {
  const values = {
    ...(was === undefined ? {} : { was: String(was) }),
    ...(value === undefined ? {} : { value: String(value) }),
  };
  return { by: labelJson(by), isUpdate, ...values };
}

function faultJson({ place: location, origin, ...fault }: FaultReport): unknown {
  const from = origin === undefined ? {} : { origin: { ...origin, place: locationJson(origin.place) } };
  return { ...fault, ...from, ...(location === undefined ? {} : { place: locationJson(location) }) };
}
