import { WARP_SIZE } from '@nccl-ts/core';
import type { GatheredLanes } from '@nccl-ts/codegen';

/** The value of a thread that does not wait for other lanes of its warp. */
const NOT = -1;

/**
 * The points before instructions that lanes run together: all points before ordered accesses, or
 * those with these names.
 */
export type GatheringPoints = 'all' | ReadonlySet<string>;

/** Names a point of a kernel in the same way in all runs. */
export function gatheringPointName(kernel: string, point: number): string {
  return `${kernel} ${point}`;
}

/** Returns true for the points of a kernel at which lanes of a warp wait for each other. */
export function gathersAt(points: GatheringPoints | undefined, kernel: string): (point: number) => boolean {
  if (points === undefined || points === 'all') return () => points === 'all';
  return (point) => points.has(gatheringPointName(kernel, point));
}

/**
 * The lanes of warps that wait for each other before an instruction, so that they run it together
 * as on a GPU. Lanes that have taken different branches, and are at different instructions, do not.
 */
export class Gathering {
  /** By thread: the point at which it waits. */
  readonly #points: Int32Array;
  #waiting = 0;

  constructor(threads: number) {
    this.#points = new Int32Array(threads).fill(NOT);
  }

  /** True if any thread waits. */
  get isOpen(): boolean {
    return this.#waiting > 0;
  }

  has(thread: number): boolean {
    return this.#points[thread] !== NOT;
  }

  arrives(thread: number, point: number): void {
    this.#points[thread] = point;
    this.#waiting++;
  }

  /**
   * Releases the lanes of each warp that wait at one instruction, and returns them. Call it when no
   * thread can continue. A warp waits while one of its lanes is held elsewhere. If its lanes are at
   * several instructions, the first of these goes on.
   */
  release(isHeld: (thread: number) => boolean): readonly GatheredLanes[] {
    const released: GatheredLanes[] = [];
    for (let first = 0; first < this.#points.length && this.#waiting > 0; first += WARP_SIZE) {
      const warp = [...this.#points.subarray(first, first + WARP_SIZE)];
      const points = warp.filter((point) => point !== NOT);
      if (points.length === 0 || warp.some((point, lane) => point === NOT && isHeld(first + lane))) continue;
      const point = Math.min(...points);
      const lanes = warp.flatMap((one, lane) => (one === point ? [first + lane] : []));
      for (const lane of lanes) this.#points[lane] = NOT;
      this.#waiting -= lanes.length;
      released.push({ point, lanes });
    }
    return released;
  }
}
