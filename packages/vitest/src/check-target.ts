import { check, type HostProgram } from '@nccl-ts/checker';
import { World, type Communicator } from '@nccl-ts/communicator';
import { NcclError } from '@nccl-ts/core';
import type { CheckReport } from '@nccl-ts/findings';
import type { Kernel } from '@nccl-ts/kernel';
import type { LaunchShape, ScheduleOptions } from './check-options.ts';

/** For a named strategy. `auto` has its own number. */
const SCHEDULES = 10;

/** Options of either kind, as a matcher receives them. */
export interface AnyCheckOptions extends ScheduleOptions, LaunchShape {
  readonly args?: unknown;
  readonly host?: HostProgram;
}

/**
 * Runs the expected kernel or program under the requested schedules.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if it is neither a kernel nor a function, or lacks
 *   arguments; errors of the program other than deadlocks and faults.
 */
export async function checkTarget(target: unknown, options: AnyCheckOptions): Promise<CheckReport> {
  const { grid = 1, block = 32, args, host, ...schedule } = options;
  const onRank = programOf(target, { grid, block, args, host });
  const { strategy = 'auto', schedules = isSeeded[strategy] ? SCHEDULES : undefined } = schedule;
  return check({ ...schedule, strategy, ...(schedules === undefined ? {} : { schedules }) }, async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      await onRank(comm, { grid, block });
    });
  });
}

/** Strategies that run one schedule for each seed. */
const isSeeded: Readonly<Record<NonNullable<ScheduleOptions['strategy']>, boolean>> = {
  auto: false,
  random: true,
  pct: true,
  late: true,
  hasty: true,
  exhaustive: false,
  replay: false,
};

interface ResolvedLaunch extends Required<LaunchShape> {
  readonly args: unknown;
  readonly host: HostProgram | undefined;
}

function programOf(target: unknown, { grid, block, args, host }: ResolvedLaunch): HostProgram {
  if (isHostProgram(target)) return target;
  if (!isKernel(target)) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      'expect() must get a kernel, or a host program: a function of a communicator.',
    );
  }
  if (host !== undefined) return host;
  const params = Object.keys(target.params);
  if (args === undefined && params.length > 0) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `Kernel '${target.name}' takes ${params.join(', ')}: give args, or a function args(comm) that makes them, or a host program.`,
    );
  }
  return async (comm) => {
    await comm.launch(target, { grid, block }, await argsOn(comm, args ?? {}));
    await comm.synchronize();
  };
}

async function argsOn(comm: Communicator, args: unknown): Promise<unknown> {
  return isMaker(args) ? args(comm) : args;
}

function isMaker(args: unknown): args is (comm: Communicator) => unknown {
  return typeof args === 'function';
}

function isHostProgram(target: unknown): target is HostProgram {
  return typeof target === 'function';
}

/** Checks the object's own marker, because a test may load another copy of the packages. */
function isKernel(target: unknown): target is Kernel {
  if (typeof target !== 'object' || target === null) return false;
  return 'kind' in target && target.kind === 'kernel' && 'compile' in target && typeof target.compile === 'function';
}
