import { check } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { fixOf, renderProof, renderReport, renderVerdict, reportToJson, type CheckReport } from '@nccl-ts/findings';
import type { CheckResult, Machine } from '../protocol.ts';
import { loadProgram } from './load-program.ts';
import { captureLog, simOptions } from './run-program.ts';

export interface CheckNews {
  readonly onPhase: (phase: string) => void;
  readonly onFinding: (message: string) => void;
}

/** The longest check, in seconds: the verdict then says what it covered. */
export const TIME = 60;

/** Checks a program: a proof if one run represents all, else a portfolio and the executions. */
export async function checkProgram(
  text: string,
  machine: Machine,
  replay: string | undefined,
  { onPhase, onFinding }: CheckNews,
): Promise<CheckResult> {
  const started = performance.now();
  const restore = captureLog([]);
  try {
    const schedule = replay === undefined ? {} : { strategy: 'replay' as const, replay };
    const report = await check(
      {
        ...simOptions(machine),
        ...schedule,
        time: TIME,
        onPhase,
        onFinding: ({ message }) => onFinding(message),
      },
      async (backend) => {
        const { host } = await loadProgram(text, () => backend);
        if (host === undefined) return;
        const world = await World.open({ backend });
        try {
          await world.run(async (comm) => host(comm));
        } finally {
          await world.close();
        }
      },
    );
    return resultOf(report, started);
  } finally {
    restore();
  }
}

/** A report as the page takes it. */
export function resultOf(report: CheckReport, started: number): CheckResult {
  return {
    report: reportToJson(report),
    text: renderReport(report),
    verdict: renderVerdict(report),
    proof: renderProof(report.proves, report.verdict === 'clean'),
    fixes: report.findings.map((finding) => fixOf(finding) ?? null),
    milliseconds: performance.now() - started,
  };
}
