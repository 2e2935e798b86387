import { check } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { fixOf, renderProof, renderReport, renderVerdict, reportToJson, type CheckReport } from '@nccl-ts/findings';
import { harnessProgram, isHarness, translate } from '@nccl-ts/harness';
import type { CheckResult, Machine } from '../protocol.ts';
import { loadProgram } from './load-program.ts';
import { captureLog, simOptions } from './run-program.ts';

export interface CheckNews {
  readonly onPhase: (phase: string) => void;
  readonly onFinding: (message: string) => void;
}

/** The longest check, in seconds: the verdict then says what it covered. */
const TIME = 60;

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

/** Checks an entry of PTX text, launched as the module `launch` describes. */
export async function checkPtx(
  ptx: string,
  launch: string,
  cuda: string | undefined,
  { onPhase, onFinding }: CheckNews,
): Promise<CheckResult> {
  const started = performance.now();
  const { exported } = await loadProgram(launch);
  const harness = exported['default'];
  if (!isHarness(harness)) {
    throw new TypeError('cannot check the kernel, because the launch exports no harness; export default harness({ ... }).');
  }
  const source = cuda === undefined ? {} : { source: () => cuda };
  const translated = translate(harness, ptx, { name: 'kernel.ptx', ...source });
  const report = await check(
    { ranks: harness.ranks, time: TIME, onPhase, onFinding: ({ message }) => onFinding(message) },
    harnessProgram(harness, translated),
  );
  return resultOf(report, started);
}

function resultOf(report: CheckReport, started: number): CheckResult {
  return {
    report: reportToJson(report),
    text: renderReport(report),
    verdict: renderVerdict(report),
    proof: renderProof(report.proves, report.verdict === 'clean'),
    fixes: report.findings.map((finding) => fixOf(finding) ?? null),
    milliseconds: performance.now() - started,
  };
}
