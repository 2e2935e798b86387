import { check, type CheckOptions } from '@nccl-ts/checker';
import { isNcclError } from '@nccl-ts/core';
import {
  findingJson,
  renderProof,
  renderReport,
  renderVerdict,
  reportToJson,
  type CheckReport,
  type Finding,
  type FindingJson,
} from '@nccl-ts/findings';
import type { CheckResult, Machine } from '../protocol.ts';
import { deadlockPicture, waitLabels } from './deadlock-picture.ts';
import { hostedProgram } from './hosted-program.ts';
import { programFixes } from './program-fixes.ts';
import { loadProgram, noHost, opensWorld } from './load-program.ts';
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
    const options: CheckOptions = {
      ...simOptions(machine),
      ...schedule,
      time: TIME,
      signal,
      onPhase,
      onFinding: ({ message }) => onFinding(message),
    };
    const report = await check(options, hostedProgram(text)).catch(async (error: unknown) => {
      throw await withoutHost(error, text);
    });
    const took = performance.now() - started;
    if (report.findings.length > 0) onPhase('looking for a fix');
    return { ...resultOf(report, started), fixes: await programFixes(report, text, machine, { took, signal }) };
  } finally {
    restore();
  }
}

/** The error of a check, or a better one: a host that is not exported launches no kernel. */
async function withoutHost(error: unknown, text: string): Promise<unknown> {
  if (!isNcclError(error) || error.code !== 'NCCLTS_NO_LAUNCH') return error;
  const { kernels, host } = await loadProgram(text);
  return host === undefined && kernels.length > 0 && !opensWorld(text) ? noHost('check the program') : error;
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
