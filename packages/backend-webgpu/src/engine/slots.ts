import { NcclError } from '@nccl-ts/core';
import { mostLaunches } from '../emit-wgsl/status-layout.ts';

/** Assigns numbers to running launches: the lowest that is free. */
export class LaunchSlots {
  readonly #free: number[] = [];
  #used = 0;

  /** All numbers in use are below this. */
  get used(): number {
    return this.#used;
  }

  take(): number {
    const freed = this.#free.pop();
    if (freed !== undefined) return freed;
    if (this.#used === mostLaunches) {
      throw new NcclError(
        'NCCLTS_OUT_OF_MEMORY',
        `More than ${mostLaunches} launches cannot run at the same time on WebGPU.`,
      );
    }
    return this.#used++;
  }

  give(slot: number): void {
    this.#free.push(slot);
  }
}
