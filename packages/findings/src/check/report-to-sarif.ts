import { at as itemAt } from '@nccl-ts/core';
import type { QuotedLocation } from '../quoted-location.ts';
import { approximationText } from './approximation.ts';
import { bytesText } from './bytes-text.ts';
import type { CheckReport } from './check-report.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { findingFingerprint, lineFingerprint } from './finding-fingerprint.ts';
import type { FindingSpread } from './finding-spread.ts';
import type { Finding, Severity } from './finding.ts';
import type { FindingLabel } from '../finding-label.ts';
import { labelText } from './label-text.ts';
import { outermostLocation } from './location-json.ts';
import { sarifFix, type SourceFix } from './sarif-fix.ts';
import { fileUri, sarifLocation, SOURCE_ROOT } from './sarif-location.ts';
import type { SarifLevel, SarifLocation, SarifLog, SarifResult, SarifThreadFlow } from './sarif-log.ts';
import { ruleId, sarifRules } from './sarif-rules.ts';

export interface SarifOptions {
  /**
   * An absolute folder. Files below it get relative names, as code hosts require. By default all
   * names are absolute.
   */
  readonly root?: string;
  /** The version of the tool that made the report. */
  readonly toolVersion?: string;
  /** A change that mends the first error. */
  readonly fix?: SourceFix | undefined;
}

const levels: Readonly<Record<Severity, SarifLevel>> = { error: 'error', model: 'warning', note: 'note' };

/**
 * Converts the report to the Static Analysis Results Interchange Format 2.1.0, which editors and
 * code hosts show beside the code. A result is at the kernel's line in the finding's first label.
 * Each of two accesses is a thread of a code flow. A result without a known file has no location,
 * and code hosts may omit it.
 */
export function reportToSarif(report: CheckReport, { root, toolVersion, fix }: SarifOptions = {}): SarifLog {
  const rules = sarifRules();
  const { findings, seen, spread, proves, verdict, accesses, scope, byRanks, approximations } = report;
  const exitCode = exitCodeOf(report);
  const fingerprint = distinctFingerprints();
  const firstError = findings.findIndex(({ severity }) => severity === 'error');
  const bound =
    proves.kind === 'nothing'
      ? {
          toolExecutionNotifications: [
            { level: 'warning' as const, message: { text: `The check is not complete: ${proves.bound}` } },
          ],
        }
      : {};
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'nccl-ts', ...(toolVersion === undefined ? {} : { semanticVersion: toolVersion }), rules },
        },
        columnKind: 'utf16CodeUnits',
        ...(root === undefined
          ? {}
          : { originalUriBaseIds: { [SOURCE_ROOT]: { uri: `${fileUri(root).replace(/\/+$/, '')}/` } } }),
        invocations: [{ executionSuccessful: proves.kind !== 'nothing', exitCode, ...bound }],
        results: findings.map((finding, i) => {
          const id = ruleId(finding);
          const ruleIndex = rules.findIndex((rule) => rule.id === id);
          const result = resultOf(finding, seen[i] ?? 1, spread[i], root);
          const fixes = fix === undefined || i !== firstError ? {} : { fixes: [sarifFix(fix, root)] };
          const fingerprints = { 'ncclTsFinding/v1': fingerprint(finding) };
          return { ruleId: id, ruleIndex, ...result, fingerprints, ...fixes };
        }),
        properties: {
          verdict,
          proves,
          accesses,
          scope,
          ...(byRanks === undefined ? {} : { byRanks }),
          approximations: approximations.map(approximationText),
        },
      },
    ],
  };
}

function resultOf(
  finding: Finding,
  seen: number,
  spread: FindingSpread | undefined,
  root: string | undefined,
): Omit<SarifResult, 'ruleId' | 'ruleIndex' | 'fingerprints'> {
  const { kind, labels, severity, missing, bytes, certainty, schedule, sequence } = finding;
  const texts = labels.map((label, i) => labelText(finding, label, spread?.labels[i]));
  const locations = locationsOf(finding);
  const [primary] = locations;
  const related = relatedLocations(finding, texts, root);
  const isPair = kind === 'race' || kind === 'proxy';
  const flows = isPair
    ? labels.flatMap((label, i) => threadFlow(label, itemAt(texts, i), labels.length - i, root))
    : [];
  return {
    level: levels[severity],
    message: { text: messageText(finding, texts) },
    locations: primary === undefined ? [] : [sarifLocation(outermostLocation(primary), root)],
    ...(related.length === 0 ? {} : { relatedLocations: related }),
    ...(flows.length === 0
      ? {}
      : { codeFlows: [{ message: { text: 'Two accesses that are not ordered' }, threadFlows: flows }] }),
    partialFingerprints: primary === undefined ? {} : { 'ncclTsLine/v1': lineFingerprint(outermostLocation(primary)) },
    occurrenceCount: seen,
    properties: {
      severity,
      certainty,
      schedule,
      ...(sequence === undefined ? {} : { sequence }),
      ...(bytes === undefined ? {} : { bytes: bytesText(bytes) }),
      missing: missing.map((one) => one.kind),
    },
  };
}

/** Returns the headline, the participants and the help, because a reader may see only this text. */
function messageText({ message, bytes, missing, sequence }: Finding, labels: readonly string[]): string {
  const parts = [`${capital(message)}.`];
  if (sequence !== undefined) parts.push(`In the sequence ${sequence}.`);
  if (labels.length > 0) parts.push(`${capital(labels.join('; '))}.`);
  if (bytes !== undefined) parts.push(`${capital(bytesText(bytes))}.`);
  for (const ingredient of missing) parts.push(`Help: ${ingredient.message}.`);
  return parts.map((part) => part.replace(/\.\.$/, '.')).join(' ');
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function locationsOf({ labels, fault, deadlock }: Finding): readonly QuotedLocation[] {
  const own = labels.flatMap(({ place: location }) => location ?? []);
  if (own.length > 0) return own;
  return [fault?.place, ...(deadlock?.waiting ?? []).map(({ place: location }) => location)].flatMap(
    (location) => location ?? [],
  );
}

/**
 * Returns every related source location: those inside device functions, the other access, and the
 * line that must change.
 */
function relatedLocations(finding: Finding, texts: readonly string[], root: string | undefined): SarifLocation[] {
  const { labels, missing } = finding;
  const parts = [
    ...labels.flatMap((label, i) => withCalls(label.place).map((location) => [location, itemAt(texts, i)] as const)),
    ...missing.flatMap(({ at, message }) =>
      withCalls(at?.place).map((location) => [location, `Help: ${message}`] as const),
    ),
  ];
  return parts.map(([location, text], i) => ({ id: i + 1, ...sarifLocation(location, root, text) }));
}

/** A source location and the calls that lead to it. */
function withCalls(location: QuotedLocation | undefined): readonly QuotedLocation[] {
  return location === undefined ? [] : [...withCalls(location.inlinedAt), location];
}

/** `executionOrder`: 1 for the earlier one. */
function threadFlow(
  label: FindingLabel,
  text: string,
  executionOrder: number,
  root: string | undefined,
): readonly SarifThreadFlow[] {
  const steps = withCalls(label.place);
  if (steps.length === 0) return [];
  return [
    {
      id: `access ${executionOrder}`,
      message: { text },
      locations: steps.map((location, nestingLevel) => ({
        location: sarifLocation(location, root, text),
        nestingLevel,
        executionOrder,
      })),
    },
  ];
}

/**
 * Returns fingerprints, with a number after repeated ones, because several lines of a kernel may
 * have the same text.
 */
function distinctFingerprints(): (finding: Finding) => string {
  const known = new Map<string, number>();
  return (finding) => {
    const plain = findingFingerprint(finding);
    const count = (known.get(plain) ?? 0) + 1;
    known.set(plain, count);
    return count === 1 ? plain : `${plain}:${count}`;
  };
}
