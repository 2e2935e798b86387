import type { ParkedCta } from '@nccl-ts/findings';
import type { Launch } from './launch.ts';

/**
 * Host threads that run launches, as the engine sees them; the engine runs the others. They share
 * the memory.
 */
export interface Elsewhere {
  /** True if a launch can run there. */
  takes(launch: Launch): boolean;
  /** The number of launches that run there. */
  readonly count: number;
  /** Grows with each possible change of memory. */
  readonly progress: number;
  /**
   * True if nothing can move there, at the present progress, unless memory changes from outside.
   */
  readonly isStill: boolean;
  /**
   * The waits there, if they are known at the present progress; otherwise it requests them, and
   * `onIdle` is called once they are known.
   */
  readonly parked: readonly ParkedCta[] | undefined;
  /** Memory has changed here. */
  changed(): void;
  /** Begins a launch. */
  begin(launch: Launch): void;
  /** Removes a launch, and calls back when its CTAs can no longer access anything. */
  drop(launch: Launch, callBack: () => void): void;
}
