import { check, type CheckOptions } from '@nccl-ts/checker';
import {
  findingJson,
  fixOf,
  provenFixes,
  renderProof,
  renderReport,
  renderVerdict,
  reportToJson,
  type CheckReport,
  type Finding,
  type FindingJson,
} from '@nccl-ts/findings';
import type { CheckResult, Machine } from '../protocol.ts';
import { blankTypes, parseModule } from './blank-types.ts';
import { deadlockPicture, waitLabels } from './deadlock-picture.ts';
import { hostedProgram } from './hosted-program.ts';
import { FILE } from './load-program.ts';
import { captureLog } from './program-console.ts';
import { simOptions } from './run-program.ts';

export interface CheckNews {
  readonly signal: AbortSignal;
  readonly onPhase: (phase: string) => void;
  readonly onFinding: (message: string) => void;
}

/** The longest check, in seconds. After this time the verdict states what the check covered. */
export const TIME = 60;

/**
 * Checks a program: first with one counted run, then, if that proves nothing, with a portfolio and
 * the executions.
 */
export async function checkProgram(
  text: string,
  machine: Machine,
  replay: string | undefined,
  { signal, onPhase, onFinding }: CheckNews,
): Promise<CheckResult> {
  const started = performance.now();
  const restore = captureLog([]);
  try {
    const schedule = replay === undefined ? {} : { strategy: 'replay' as const, replay };
    const report = await checked(text, {
      ...simOptions(machine),
      ...schedule,
      time: TIME,
      signal,
      onPhase,
      onFinding: ({ message }) => onFinding(message),
    });
    const took = performance.now() - started;
    if (report.findings.length > 0) onPhase('looking for a fix');
    return { ...resultOf(report, started), fixes: await fixesOf(report, text, machine, { took, signal }) };
  } finally {
    restore();
  }
}

async function checked(text: string, options: CheckOptions): Promise<CheckReport> {
  return check(options, hostedProgram(text));
}

/** Fixes are tried if a check is this fast, in ms, and for no longer than `TRYING`. */
const FAST = 2500;
const TRYING = 3000;

/** For each finding, the changes after which the check is clean, in their order. */
async function fixesOf(
  { findings, scope }: CheckReport,
  text: string,
  machine: Machine,
  { took, signal }: { readonly took: number; readonly signal: AbortSignal },
): Promise<CheckResult['fixes']> {
  // A check that takes long is not repeated. One word that is too weak has a fix all the same.
  if (took > FAST) return findings.map((finding) => [fixOf(finding)].flatMap((fix) => fix ?? []));
  const until = performance.now() + TRYING;
  return provenFixes(findings, {
    file: FILE,
    text,
    blank: (given) => blankTypes(given, parseModule(given)),
    check: async (changed) => {
      const time = Math.max(1, until - performance.now()) / 1000;
      // A program of threads alone is not asked to communicate when it is repaired.
      return checked(changed, { ...simOptions(machine), local: !scope.communicates, time, signal });
    },
    isOver: () => signal.aborted || performance.now() > until,
  });
}

/** A report in the form that the page uses. */
export function resultOf(report: CheckReport, started: number): CheckResult {
  const json = reportToJson(report);
  return {
    report: { ...json, findings: json.findings.map((finding, i) => withWaits(finding, report.findings[i])) },
    text: renderReport(report),
    verdict: renderVerdict(report),
    proof: renderProof(report.proves, report.verdict === 'clean'),
    fixes: [],
    deadlocks: report.findings.map(({ deadlock }) =>
      deadlock === undefined ? undefined : deadlockPicture(deadlock, report.findings),
    ),
    milliseconds: performance.now() - started,
  };
}

/** A deadlock has no accesses. The page marks the lines of its waits instead. */
function withWaits(json: FindingJson, finding: Finding | undefined): FindingJson {
  if (finding?.deadlock === undefined) return json;
  const labels = waitLabels(finding.deadlock);
  return labels.length === 0 ? json : { ...json, labels: findingJson({ ...finding, labels }, 1).labels };
}
