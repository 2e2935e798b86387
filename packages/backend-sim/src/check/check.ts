import { abortSignalOf, expectInteger, NcclError, showValue } from '@nccl-ts/core';
import type { CheckReport, Finding } from '@nccl-ts/findings';
import type { SimOptions } from '../sim-options.ts';
import type { Strategy } from '../schedule/strategy.ts';
import { checkAuto } from './check-auto.ts';
import { checkExhaustive } from './check-exhaustive.ts';
import { News, type CheckRequest } from './check-request.ts';
import { checkSampled } from './check-sampled.ts';
import { Deadline } from './deadline.ts';
import { SCHEDULES } from './portfolio.ts';
import type { Program } from './run-once.ts';

/** The machine to check on, and the schedules to check. */
export interface CheckOptions extends Omit<SimOptions, 'mode' | 'strategy'> {
  /**
   * - `auto`: one run that may represent all schedules. Otherwise a fixed portfolio of schedules of
   *   several strategies, all from the `seed`. If waits have time limits, also schedules in which
   *   these run out. For small programs also the executions that the
   *   memory model allows, up to a fixed bound. It ends with the first error, and gives the same
   *   verdict on every machine.
   * - `random`, `pct`, `late`, `hasty`, `replay`: as for `sim`, `schedules` of them.
   * - `exhaustive`: all schedules and all values that the memory model allows, up to `bound`. One
   *   run is sufficient if it represents all.
   *
   * @default 'auto'
   */
  readonly strategy?: Strategy | 'auto' | 'exhaustive';
  /**
   * The number of schedules, with seeds from `seed` upwards. With `auto`, those of the portfolio.
   * @default 15 with `auto`, else 1
   */
  readonly schedules?: number;
  /**
   * For `exhaustive`: the largest number of executions to explore if one run does not represent
   * all; 0: only to test if it does.
   * @default 100000; fewer once an error is known, and none then of a program with more than 1,000
   *   accesses
   */
  readonly bound?: number;
  /**
   * The most seconds that the check takes. If the time is over before the check ends, the verdict
   * is that of the findings, or `incomplete`, never `clean`.
   * @default no limit
   */
  readonly time?: number;
  /**
   * Ends the check when it is aborted, as the end of `time` does: the report has what was found so
   * far. A kernel that runs is stopped at its next turn.
   */
  readonly signal?: AbortSignal;
  /** Called for each finding as soon as there is one, before the report. */
  readonly onFinding?: (finding: Finding) => void;
  /**
   * Called when a part of the check begins, with a few words that name it: `schedule 3 of 15,
   * strategy pct`.
   */
  readonly onPhase?: (phase: string) => void;
}

/**
 * Runs `program` under the schedules of `options`, with a checking backend, and makes one report of
 * all. `program` must open a world on the backend, do the same each time and close it. A deadlock
 * or fault that it throws is a finding.
 *
 * The report has the findings of each engine, even if the others have none.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options; other errors of `program`,
 *   immediately.
 */
export async function check(options: CheckOptions, program: Program): Promise<CheckReport> {
  expectCall(options, program);
  const { strategy = 'auto', schedules, bound, time, signal, onFinding, onPhase, ...machine } = options;
  if (bound !== undefined) expectInteger('bound', bound, 0);
  const count = schedules === undefined ? undefined : expectInteger('schedules', schedules, 1);
  const deadline = new Deadline(expectTime(time), expectSignal(signal));
  const request: CheckRequest = { options: machine, program, deadline, news: new News(onFinding, onPhase) };
  try {
    switch (strategy) {
      case 'auto':
        return await checkAuto(request, count ?? SCHEDULES);
      case 'exhaustive':
        return await checkExhaustive(request, bound);
      default:
        return await checkSampled(request, strategy, count ?? 1);
    }
  } finally {
    deadline.dispose();
  }
}

/** The simulator validates the other options when the first world is opened. */
function expectCall(options: unknown, program: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `check takes its options as an object; given ${showValue(options)}.`);
  }
  if (typeof program !== 'function') {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `check takes a program, which is a function of a backend; given ${showValue(program)}.`,
    );
  }
}

function expectSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  const found = abortSignalOf(signal, 'check');
  if (found !== undefined) return found;
  throw new NcclError('NCCL_INVALID_ARGUMENT', `signal must be an AbortSignal; given ${showValue(signal)}.`);
}

/** The longest that a timer can wait, in seconds. */
const MOST_SECONDS = 2 ** 31 / 1000 - 1;

function expectTime(time: number | undefined): number | undefined {
  if (time === undefined || (typeof time === 'number' && time > 0 && time <= MOST_SECONDS)) return time;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `time must be a number of seconds from more than 0 to ${Math.floor(MOST_SECONDS)}; given ${showValue(time)}.`,
  );
}
