import { valueBytes, type Coop, type Module } from '@nccl-ts/ir';
import type { CtaIdentity } from '@nccl-ts/transport';
import { at, WARP_SIZE } from '@nccl-ts/core';
import type { ExploredCluster } from './explored-cluster.ts';

import type { PointerValue } from '@nccl-ts/backend-sim/internal';

/** The start of shared memory in the exploration's flat address space, above every heap. */
const SHARED_BASE = 2 ** 41;
const SHARED_STRIDE = 2 ** 20;
/** The first byte of a CTA's shared memory, as in the simulator. */
const FIRST_BYTE = 16;
/**
 * The start of a thread's own arrays. They are private: their addresses never coincide with memory.
 */
export const LOCAL_BASE: number = 2 ** 51;

/** True if an address is in shared memory. */
export function isShared(address: number): boolean {
  return address >= SHARED_BASE;
}

/** The address in its CTA's shared memory, for people. */
export function offsetInShared(address: number): number {
  return address % SHARED_STRIDE;
}

/** The number of the CTA to whose shared memory an address belongs. */
export function ctaOfShared(address: number): number {
  return Math.floor((address - SHARED_BASE) / SHARED_STRIDE);
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
  /** Its cluster, if that has more than one CTA. */
  readonly cluster: ExploredCluster | undefined;
  readonly #ended = new Set<number>();

  constructor(identity: CtaIdentity, number: number, cluster?: ExploredCluster) {
    const { x, y, z } = identity.blockDim;
    this.identity = identity;
    this.number = number;
    this.cluster = cluster;
    this.threads = x * y * z;
  }

  /** The number of threads that have not ended. */
  get alive(): number {
    return this.threads - this.#ended.size;
  }

  /** The same, among `members`. */
  aliveOf(members: readonly number[]): number {
    return this.#ended.size === 0 ? members.length : members.filter((t) => !this.#ended.has(t)).length;
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
    let shared = SHARED_BASE + this.number * SHARED_STRIDE + FIRST_BYTE;
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
   * The pointer to the same byte of the shared memory of the CTA with this rank in the cluster. Its
   * region is that of the array, plus the number of arrays for each rank from 0 on.
   */
  inCluster({ address, region }: PointerValue, rank: number, { arrays }: Module): PointerValue {
    const other = this.cluster === undefined ? (rank === 0 ? this.number : undefined) : this.cluster.ctas[rank];
    if (other === undefined || region === 0) return { address, region: 0 };
    if (other === this.number) return { address, region };
    const by = (other - this.number) * SHARED_STRIDE;
    return { address: address + by, region: region + (rank + 1) * arrays.length };
  }

  /** The bytes from this CTA's shared memory to that of the CTA of a region. @see inCluster */
  distanceTo(region: number, { arrays }: Module): number {
    const rank = Math.floor((region - 1) / Math.max(1, arrays.length)) - 1;
    const other = rank < 0 ? this.number : this.cluster?.ctas[rank];
    return other === undefined ? 0 : (other - this.number) * SHARED_STRIDE;
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
