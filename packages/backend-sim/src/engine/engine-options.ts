import type { MacrotaskQueue, NcclError } from '@nccl-ts/core';
import type { Cta } from '../program.ts';
import type { Network } from '../network/network.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { CtaTask, Launch } from './launch.ts';
import type { Residents } from './residents.ts';
import type { SpinWatch } from './spin-watch.ts';

export interface EngineOptions {
  readonly ranks: number;
  /** CTAs that are resident at once, counted for each rank. */
  readonly residents: Residents;
  /** The number of turns in a row that a CTA may use without reaching a wait or its end. */
  readonly turns: number;
  readonly scheduler: Scheduler;
  readonly macrotasks: MacrotaskQueue;
  readonly network: Pick<Network, 'advance' | 'advanceOne' | 'acquireAll'>;
  /** Instead of the host's clock: true if the turn that runs must pause for the event loop. */
  readonly isLate?: (() => boolean) | undefined;
  /** Called when a CTA begins to run, and with `undefined` at its end. */
  readonly onTurn?: ((cta: Cta | undefined) => void) | undefined;
  /** True if a launch that may begin before the previous one ends does so. */
  beginsEarly(launch: Launch): boolean;
  /** The error for a launch that threw something unexpected. */
  toFailure(launch: Launch, thrown: unknown): NcclError;
  outOfFuel(task: CtaTask): NcclError;
  /** Called when nothing can run any longer. */
  onIdle(): void;
  /** Detects kernels that spin forever, if that is requested. */
  readonly spins?: SpinWatch;
  /** Called when they do: the rest is `spinning` or parked. False: the host may still act. */
  readonly onSpin?: () => boolean;
  /** Called between slices if the scheduler wants to stop. */
  onEnough(): void;
  /** The machine's state besides the CTAs': memory, and pending work of the network. */
  describe(): string;
}
