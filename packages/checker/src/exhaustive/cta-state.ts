import { valueBytes, type Coop, type Module } from '@nccl-ts/ir';
import type { CtaIdentity } from '@nccl-ts/transport';
import { at, WARP_SIZE } from '@nccl-ts/core';

import type { PointerValue } from '@nccl-ts/backend-sim/internal';

/** The start of shared memory in the exploration's flat address space, above every heap. */
const SHARED_BASE = 2 ** 41;
const SHARED_STRIDE = 2 ** 20;
/**
 * The start of a thread's own arrays. They are private: their addresses never coincide with memory.
 */
export const LOCAL_BASE: number = 2 ** 51;

/** True if an address is in shared memory. */
export function isShared(address: number): boolean {
  return address >= SHARED_BASE;
}

/** A group of threads that act together, as one member sees it. */
export interface ThreadGroup {
  /** Equal for all members, and for no other thread. */
  readonly key: string;
  /** Linear indices in ascending order. */
  readonly members: readonly number[];
}

/** The state that the threads of one CTA share. */
export class CtaState {
  readonly identity: CtaIdentity;
  /** The CTA's number, unique in the world. */
  readonly number: number;
  readonly threads: number;
  readonly #ended = new Set<number>();

  constructor(identity: CtaIdentity, number: number) {
    const { x, y, z } = identity.blockDim;
    this.identity = identity;
    this.number = number;
    this.threads = x * y * z;
  }

  /** The number of threads that have not ended. */
  get alive(): number {
    return this.threads - this.#ended.size;
  }

  /** The same, among `count` threads starting at `first`. */
  aliveIn(first: number, count: number): number {
    let alive = 0;
    for (let t = first; t < Math.min(first + count, this.threads); t++) if (!this.#ended.has(t)) alive++;
    return alive;
  }

  end(thread: number): void {
    this.#ended.add(thread);
  }

  /**
   * Returns the locations of the module's arrays for threads of this CTA. The region is the array's
   * number plus one.
   */
  arrays(module: Module): readonly PointerValue[] {
    let shared = SHARED_BASE + this.number * SHARED_STRIDE;
    let local = LOCAL_BASE;
    return module.arrays.map(({ space, length, element }, index) => {
      const bytes = Math.ceil((length * valueBytes(element)) / 16) * 16;
      const address = space === 'shared' ? shared : local;
      if (space === 'shared') shared += bytes;
      else local += bytes;
      return { address, region: index + 1 };
    });
  }

  /**
   * `given` has the values of the group's expressions: the mask of `lanes`, or the first warp and
   * the count of a `warpSpan`. Other groups have none.
   */
  group(coop: Coop, thread: number, given: readonly number[]): ThreadGroup {
    switch (coop.kind) {
      case 'cta':
        return this.#group('cta', 0, this.threads, () => true);
      case 'tile': {
        const base = thread - (thread % coop.size);
        return this.#group(`tile ${coop.size}`, base, coop.size, () => true);
      }
      case 'lanes': {
        const base = thread - (thread % WARP_SIZE);
        const mask = at(given, 0);
        return this.#group(`lanes ${mask}`, base, WARP_SIZE, (lane) => ((mask >>> lane) & 1) === 1);
      }
      case 'warpSpan':
        return this.#group('span', at(given, 0) * WARP_SIZE, at(given, 1) * WARP_SIZE, () => true);
    }
  }

  #group(name: string, base: number, count: number, has: (index: number) => boolean): ThreadGroup {
    const members: number[] = [];
    for (let i = 0; i < count && base + i < this.threads; i++) if (has(i)) members.push(base + i);
    return { key: `${this.number} ${name} ${base}+${count}`, members };
  }
}
