import type { ParkedCta } from '@nccl-ts/findings';
import type { Launch } from './launch.ts';

/**
 * Threads of the host that run launches, as the engine sees them, which runs the others. They share
 * the memory.
 */
export interface Elsewhere {
  /** True if a launch can run there. */
  takes(launch: Launch): boolean;
  /** How many launches run there. */
  readonly count: number;
  /** Grows with whatever may have changed memory. */
  readonly progress: number;
  /**
   * True if nothing can move there, at the present progress, unless memory changes from outside.
   */
  readonly isStill: boolean;
  /**
   * What waits there, and is known to do so at the present progress; else asks, and has `onIdle`
   * called once it is known.
   */
  readonly parked: readonly ParkedCta[] | undefined;
  /** Memory has changed here. */
  changed(): void;
  /** Begins a launch. */
  begin(launch: Launch): void;
  /** Has a launch forgotten, and calls back when none of its CTAs can touch anything any more. */
  drop(launch: Launch, callBack: () => void): void;
}
