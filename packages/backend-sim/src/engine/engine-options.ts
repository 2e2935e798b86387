import type { MacrotaskQueue, NcclError } from '@nccl-ts/core';
import type { Cta } from '@nccl-ts/codegen';
import type { Network } from '../network/network.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { CtaTask, SimLaunch } from './launch.ts';
import type { Residents } from './residents.ts';
import type { SpinWatch } from './spin-watch.ts';

export interface EngineOptions {
  readonly ranks: number;
  /** The CTAs that are resident at the same time, counted for each rank. */
  readonly residents: Residents;
  /** The number of consecutive turns in which a CTA may reach neither a wait nor its end. */
  readonly turns: number;
  readonly scheduler: Scheduler;
  readonly macrotasks: MacrotaskQueue;
  readonly network: Pick<Network, 'advance' | 'advanceOne' | 'acquireAll'>;
  /** Replaces the host's clock: true if the current turn must pause for the event loop. */
  readonly isLate?: (() => boolean) | undefined;
  /** Called when a CTA starts a turn, and with `undefined` when the turn ends. */
  readonly onTurn?: ((cta: Cta | undefined) => void) | undefined;
  /** True if a launch that may begin before the previous one ends should do so. */
  beginsEarly(launch: SimLaunch): boolean;
  /** Returns the error for a launch that threw something unexpected. */
  toFailure(launch: SimLaunch, thrown: unknown): NcclError;
  outOfFuel(task: CtaTask): NcclError;
  /**
   * True if the scheduler chooses the order in which CTAs start that have to wait for room, and in
   * which a host program learns of the ends of several streams. Otherwise CTAs start in the order
   * of their indices, and a host learns of all that has ended.
   */
  readonly choosesOrders: boolean;
  /** Called when no CTA can run any longer. */
  onIdle(): void;
  /** Detects kernels that spin forever, if this is requested. */
  readonly spins?: SpinWatch;
  /**
   * Called when they do: all CTAs are `spinning` or parked. Returns false if the host may still
   * act.
   */
  readonly onSpin?: () => boolean;
  /** Called between slices if the scheduler wants to stop. */
  onEnough(): void;
  /** Describes the machine's state besides the CTAs: memory, and pending work of the network. */
  describe(): string;
}
