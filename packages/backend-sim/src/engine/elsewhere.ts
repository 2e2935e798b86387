import type { ParkedCta } from '@nccl-ts/findings';
import type { SimLaunch } from './launch.ts';

/** Other host threads that run launches, as the engine sees them. They share the memory with it. */
export interface Elsewhere {
  /** True if a launch can run on them. */
  takes(launch: SimLaunch): boolean;
  /** The number of launches that they run. */
  readonly count: number;
  /** A counter that grows with each possible change of memory. */
  readonly progress: number;
  /**
   * True if none of their CTAs can continue until memory changes from outside.
   */
  readonly isStill: boolean;
  /**
   * Their waits, if they are known at the current progress. Otherwise this requests them, and
   * `onIdle` is called once they are known.
   */
  readonly parked: readonly ParkedCta[] | undefined;
  /** Called when memory has changed on this thread. */
  changed(): void;
  /** Starts a launch. */
  begin(launch: SimLaunch): void;
  /** Removes a launch. Calls back when its CTAs can no longer access memory. */
  drop(launch: SimLaunch, callBack: () => void): void;
}
