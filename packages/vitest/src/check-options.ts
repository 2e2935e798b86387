import type { CheckOptions } from '@nccl-ts/backend-sim';
import type { Communicator } from '@nccl-ts/communicator';
import type { Kernel } from '@nccl-ts/kernel';

/**
 * The machine to check on, and the schedules to check: the options of the simulator's `check`.
 * Where a strategy is named and no number of schedules, a matcher runs 10 of them.
 */
export type ScheduleOptions = CheckOptions;

/** A program that is called once for each rank. */
export type HostProgram = (comm: Communicator) => unknown;

/** How to check a kernel: what machine, what launch, which schedules. */
export type CheckedLaunch<A> = ScheduleOptions & LaunchShape & LaunchOf<A>;

export interface LaunchShape {
  /**
   * CTAs of each rank.
   * @default 1
   */
  readonly grid?: number;
  /**
   * Threads of each CTA.
   * @default 32
   */
  readonly block?: number;
}

/**
 * A launch once on each rank, with `args`; or whatever `host` does on each. A kernel without
 * parameters needs neither.
 */
export type LaunchOf<A> =
  | { readonly args: LaunchArgs<A>; readonly host?: never }
  | { readonly host: HostProgram; readonly args?: never }
  | (Record<never, never> extends A ? { readonly args?: never; readonly host?: never } : never);

/**
 * The arguments, or what makes them on one rank: it may allocate windows and create device
 * communicators.
 */
export type LaunchArgs<A> = A | ((comm: Communicator) => A | Promise<A>);

/**
 * The options for what is expected: a kernel, or a host program with the kernels that it launches.
 */
export type CheckOptionsFor<T> =
  T extends Kernel<infer A> ? CheckedLaunch<A> : T extends HostProgram ? ScheduleOptions : never;
