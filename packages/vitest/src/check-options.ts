import type { CheckOptions, HostProgram } from '@nccl-ts/checker';
import type { Communicator } from '@nccl-ts/communicator';
import type { Kernel } from '@nccl-ts/kernel';

/**
 * The simulated machine and the schedules: the options of the simulator's `check`. If you name a
 * strategy but no number of schedules, a matcher runs 10.
 */
export type ScheduleOptions = CheckOptions;

/** The machine, the launch and the schedules for a check of a kernel. */
export type CheckedLaunch<A> = ScheduleOptions & LaunchShape & LaunchOf<A>;

export interface LaunchShape {
  /**
   * The number of CTAs on each rank.
   * @default 1
   */
  readonly grid?: number;
  /**
   * The number of threads in each CTA.
   * @default 32
   */
  readonly block?: number;
}

/**
 * A launch once on each rank, with `args`, or the program `host` on each rank. A kernel without
 * parameters needs neither.
 */
export type LaunchOf<A> =
  | { readonly args: LaunchArgs<A>; readonly host?: never }
  | { readonly host: HostProgram; readonly args?: never }
  | (Record<never, never> extends A ? { readonly args?: never; readonly host?: never } : never);

/**
 * The arguments, or a function that creates them on one rank. It may allocate windows and create
 * device communicators.
 */
export type LaunchArgs<A> = A | ((comm: Communicator) => A | Promise<A>);

/**
 * The options for the expected value: a kernel, or a host program with the kernels that it
 * launches.
 */
export type CheckOptionsFor<T> =
  T extends Kernel<infer A> ? CheckedLaunch<A> : T extends HostProgram ? ScheduleOptions : never;
