import { World, type Communicator } from '@nccl-ts/communicator';
import type { CheckOptions } from '@nccl-ts/checker';
import { locationName, type CheckReport, type Finding } from '@nccl-ts/findings';
import type { CheckEngine } from './check-engine.ts';
import { printError } from '../output/print.ts';
import { showProgress } from '../output/progress.ts';

/** The subject of a check, and its name in the progress line. */
export interface CheckedRun {
  /** The progress line, such as `checking hands on 4 ranks`. */
  readonly doing: string;
  readonly onRank: (comm: Communicator) => Promise<unknown>;
  /** Converts an error to the error to report. */
  readonly failure: (error: unknown) => unknown;
  /**
   * True to print the first error on stderr as soon as it is found, because the check continues for
   * a while.
   */
  readonly printsFirst?: boolean;
}

/** Checks the programs of the ranks, and shows progress meanwhile on a terminal. */
export async function runCheck(engine: CheckEngine, options: CheckOptions, run: CheckedRun): Promise<CheckReport> {
  const { schedules } = options;
  let runs = 0;
  let phase: string | undefined;
  // The engine may run one of them twice.
  const schedule = (): string => (schedules === undefined ? `${runs}` : `${Math.min(runs, schedules)} of ${schedules}`);
  using progress = showProgress(() => `${run.doing}, ${phase ?? `schedule ${schedule()}`}`, process.stderr);
  let isReported = run.printsFirst !== true;
  const report = await engine(
    {
      ...options,
      onPhase: (begins) => {
        phase = begins;
      },
      onFinding: (finding) => {
        if (isReported || finding.severity !== 'error') return;
        isReported = true;
        printError(`found: ${shortText(finding)}; the check goes on\n`);
      },
    },
    async (backend) => {
      runs++;
      await using world = await World.open({ backend });
      await world.run(run.onRank);
    },
  ).catch((error: unknown) => {
    throw run.failure(error);
  });
  progress.done();
  return report;
}

/**
 * Returns a short form, such as `race at hands.ts:31:84: a load and a store of the same bytes are
 * not ordered`.
 */
export function shortText({ kind, labels, fault, deadlock, message }: Finding): string {
  const locations = [...labels.map(({ place: location }) => location), fault?.place, deadlock?.waiting[0]?.place];
  const location = locations.find((one) => one !== undefined);
  return `${kind}${location === undefined ? '' : ` at ${locationName(location)}`}: ${message}`;
}
