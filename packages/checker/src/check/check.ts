import { abortSignalOf, expectInteger, NcclError, showValue } from '@nccl-ts/core';
import { concludeCheck, type CheckReport, type Finding } from '@nccl-ts/findings';
import type { SimOptions, Strategy } from '@nccl-ts/backend-sim';
import { checkAuto } from './check-auto.ts';
import { checkExhaustive } from './check-exhaustive.ts';
import { expectLocal } from '../expect-local.ts';
import { News, type CheckRequest } from './check-request.ts';
import { checkSampled } from './check-sampled.ts';
import { Deadline } from './deadline.ts';
import { SCHEDULES } from './portfolio.ts';
import { worldProgram, type HostProgram } from './host-program.ts';
import type { WorldProgram } from './run-once.ts';

/** The machine on which to check, and the schedules to run. */
export interface CheckOptions extends Omit<SimOptions, 'mode' | 'strategy'> {
  /**
   * - `auto`: one run that may represent all schedules. If it does not, a fixed portfolio of
   *   schedules of several strategies, all based on the `seed`. If waits have time limits, also
   *   schedules in which these expire. For small programs, also the executions that the memory
   *   model allows, up to a fixed bound. The check ends with the first error, and gives the same
   *   verdict on every machine.
   * - `random`, `pct`, `late`, `hasty`, `replay`: `schedules` runs of that strategy, as for `sim`.
   * - `exhaustive`: all schedules and all values that the memory model allows, up to `bound`. If
   *   one run represents all, that run is enough.
   *
   * @default 'auto'
   */
  readonly strategy?: Strategy | 'auto' | 'exhaustive';
  /**
   * The number of schedules, with consecutive seeds starting at `seed`. With `auto`, the number in
   * the portfolio.
   * @default 15 with `auto`, else 1
   */
  readonly schedules?: number;
  /**
   * For `exhaustive`: the largest number of executions to explore if one run does not represent
   * all. With 0, the check only tests if one run does.
   * @default 100000. With a known error, fewer, and none if the program has more than 1,000
   *   accesses
   */
  readonly bound?: number;
  /**
   * The largest number of seconds that the check takes. If the time expires before the check ends,
   * the verdict is that of the findings so far, or `incomplete`, but never `clean`. With
   * `Infinity`, there is no limit. Code of the program that does not return to the event loop is
   * not stopped.
   * @default 120
   */
  readonly time?: number;
  /**
   * Ends the check when it is aborted, as `time` does. The report has the findings so far. A
   * running kernel stops at its next turn.
   */
  readonly signal?: AbortSignal;
  /**
   * True if each rank is meant to work alone. Otherwise a check with several ranks is `incomplete`
   * if none of them touches the memory of another and no wait is reached.
   * @default false
   */
  readonly local?: boolean;
  /** Called for each finding as soon as it is made, before the report. */
  readonly onFinding?: (finding: Finding) => void;
  /**
   * Called when a part of the check starts, with a few words that name it:
   * `schedule 3 of 15, strategy pct`.
   */
  readonly onPhase?: (phase: string) => void;
}

/**
 * Runs `program` under the schedules of `options`, with a checking backend, and makes one report of
 * all runs. `program` is called in each run once for each rank, with its communicator, as `host` of
 * a module is for `nccl-ts check`. Or it is a function of the backend, which opens a world and
 * closes it. It must do the same each time. A deadlock or fault that it throws becomes a finding.
 *
 * The report combines the findings of all engines. A program of ranks is called once more at first,
 * up to its first use of the communicator, to tell it from a function of the backend.
 *
 * @example
 * const report = await check({ ranks: 4 }, host);
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options; `NCCLTS_NO_LAUNCH` if `program`
 *   launches no kernel and has no error; other errors of `program`, immediately.
 */
export async function check(options: CheckOptions, program: WorldProgram): Promise<CheckReport>;
export async function check(options: CheckOptions, program: HostProgram): Promise<CheckReport>;
export async function check(options: CheckOptions, program: WorldProgram | HostProgram): Promise<CheckReport> {
  expectCall(options, program);
  const {
    strategy = 'auto',
    schedules,
    bound,
    time = DEFAULT_SECONDS,
    signal,
    local,
    onFinding,
    onPhase,
    ...machine
  } = options;
  const isLocal = expectLocal('check', local);
  if (bound !== undefined) expectInteger('bound', bound, 0);
  const count = schedules === undefined ? undefined : expectInteger('schedules', schedules, 1);
  const deadline = new Deadline(expectTime(time), expectSignal(signal));
  const request: CheckRequest = {
    options: machine,
    program: worldProgram(program),
    deadline,
    news: new News(onFinding, onPhase),
  };
  const run = async (): Promise<CheckReport> => {
    switch (strategy) {
      case 'auto':
        return checkAuto(request, count ?? SCHEDULES);
      case 'exhaustive':
        return checkExhaustive(request, bound);
      default:
        return checkSampled(request, strategy, count ?? 1);
    }
  };
  try {
    return concludeCheck(await run(), { isLocal, isCut: deadline.isOver });
  } finally {
    deadline.dispose();
  }
}

/** Checks the call. The simulator validates the other options when the first world is opened. */
function expectCall(options: unknown, program: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `check takes its options as an object; given ${showValue(options)}.`);
  }
  if (typeof program !== 'function') {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `check takes a program: a function of each rank's communicator, as host(comm), or of a backend, which opens a world; ${givenProgram(program)}.`,
    );
  }
}

/** A kernel is no program, because its arguments are missing. */
function givenProgram(program: unknown): string {
  const isKernel = typeof program === 'object' && program !== null && 'kind' in program && program.kind === 'kernel';
  return isKernel
    ? 'given a kernel: launch it in host(comm), or check it with nccl-ts check or toBeRaceFree'
    : `given ${showValue(program)}`;
}

function expectSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  const found = abortSignalOf(signal, 'check');
  if (found !== undefined) return found;
  throw new NcclError('NCCL_INVALID_ARGUMENT', `signal must be an AbortSignal; given ${showValue(signal)}.`);
}

/** The default time limit. */
export const DEFAULT_SECONDS = 120;

/** The longest time that a timer can wait, in seconds. */
const MOST_SECONDS = 2 ** 31 / 1000 - 1;

function expectTime(time: number): number {
  if (typeof time === 'number' && time > 0 && (time <= MOST_SECONDS || time === Infinity)) return time;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `time must be a number of seconds from more than 0 to ${Math.floor(MOST_SECONDS)}, or Infinity; given ${showValue(time)}.`,
  );
}
