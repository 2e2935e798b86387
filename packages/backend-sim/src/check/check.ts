import { expectInteger, NcclError } from '@nccl-ts/core';
import { findingOfError, ReportBuilder, type CheckReport, type ScheduleId } from '@nccl-ts/findings';
import { sim, type SimBackend } from '../sim-backend.ts';
import type { SimOptions, Strategy } from '../sim-options.ts';

/** What to check, and how. */
export interface CheckOptions extends Omit<SimOptions, 'mode' | 'strategy'> {
  /** As for `sim`; `exhaustive` goes through all schedules and all values that the memory model allows. */
  readonly strategy?: Strategy | 'exhaustive' | 'replay';
  /**
   * How many schedules: the seeds from `seed` on.
   * @default 1
   */
  readonly schedules?: number;
  /** For `exhaustive`: the most executions to go through. */
  readonly bound?: number;
  /** For `replay`: the choices of the schedule to see again. */
  readonly replay?: string;
}

/**
 * Runs `program` once for each schedule, with a backend that checks, and makes one report of all. `program` opens a world on
 * the backend, does the same each time and closes it. A deadlock or fault that it throws is a finding.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for options that cannot be; what `program` throws otherwise, at once.
 */
export async function check(
  options: CheckOptions,
  program: (backend: SimBackend) => Promise<void>,
): Promise<CheckReport> {
  const { strategy = 'random', schedules = 1, bound: _bound, replay: _replay, ...simOptions } = options;
  if (strategy === 'exhaustive' || strategy === 'replay') {
    throw new NcclError('NCCLTS_NOT_SUPPORTED', `check: strategy ${strategy} is not there yet.`);
  }
  const count = expectInteger('schedules', schedules, 1);
  const seed = options.seed ?? 1;
  const builder = new ReportBuilder(options.strict === undefined ? {} : { strict: options.strict });
  for (let i = 0; i < count; i++) {
    const schedule = Object.freeze({ strategy, seed: seed + i });
    await runOnce(sim({ ...simOptions, ...schedule, mode: 'check' }), schedule, program, builder);
  }
  return builder.report(
    count === 1 ? { kind: 'this schedule', strategy, seed } : { kind: 'schedules', count, strategy, seed },
  );
}

async function runOnce(
  backend: SimBackend,
  schedule: ScheduleId,
  program: (backend: SimBackend) => Promise<void>,
  builder: ReportBuilder,
): Promise<void> {
  try {
    await program(backend);
  } catch (error) {
    const finding = findingOfError(error, schedule);
    if (finding === undefined) throw error;
    builder.add({ findings: [finding], accesses: 0 });
  }
  builder.add(backend.report());
}
