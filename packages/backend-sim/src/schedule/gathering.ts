import { WARP_SIZE } from '@nccl-ts/core';
import type { GatheredLanes } from '@nccl-ts/codegen';

/** The value of a thread that does not wait for other lanes of its warp. */
const NOT = -1;

/**
 * The points before instructions that lanes run together: all points before ordered accesses, or
 * those with these names.
 */
export type GatheringPlaces = 'all' | ReadonlySet<string>;

/** Names a point of a kernel in the same way in all runs. */
export function placeName(kernel: string, place: number): string {
  return `${kernel} ${place}`;
}

/** Returns true for the points of a kernel at which lanes of a warp wait for each other. */
export function gathersAt(places: GatheringPlaces | undefined, kernel: string): (place: number) => boolean {
  if (places === undefined || places === 'all') return () => places === 'all';
  return (place) => places.has(placeName(kernel, place));
}

/**
 * The lanes of warps that wait for each other before an instruction, so that they run it together
 * as on a GPU. Lanes that have taken different branches, and are at different instructions, do not.
 */
export class Gathering {
  /** By thread: the point at which it waits. */
  readonly #places: Int32Array;
  #waiting = 0;

  constructor(threads: number) {
    this.#places = new Int32Array(threads).fill(NOT);
  }

  /** True if any thread waits. */
  get isOpen(): boolean {
    return this.#waiting > 0;
  }

  has(thread: number): boolean {
    return this.#places[thread] !== NOT;
  }

  arrives(thread: number, place: number): void {
    this.#places[thread] = place;
    this.#waiting++;
  }

  /**
   * Releases the lanes of each warp that wait at one instruction, and returns them. Call it when no
   * thread can continue. A warp waits while one of its lanes is held elsewhere. If its lanes are at
   * several instructions, the first of these goes on.
   */
  release(isHeld: (thread: number) => boolean): readonly GatheredLanes[] {
    const released: GatheredLanes[] = [];
    for (let first = 0; first < this.#places.length && this.#waiting > 0; first += WARP_SIZE) {
      const warp = [...this.#places.subarray(first, first + WARP_SIZE)];
      const places = warp.filter((place) => place !== NOT);
      if (places.length === 0 || warp.some((place, lane) => place === NOT && isHeld(first + lane))) continue;
      const place = Math.min(...places);
      const lanes = warp.flatMap((one, lane) => (one === place ? [first + lane] : []));
      for (const lane of lanes) this.#places[lane] = NOT;
      this.#waiting -= lanes.length;
      released.push({ place, lanes });
    }
    return released;
  }
}
