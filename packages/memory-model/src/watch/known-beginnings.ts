import { at } from '@nccl-ts/core';
import type { GroupClocks } from './group-clocks.ts';
import { numberAt } from './number-at.ts';

/** Lists with fewer items are searched whole. */
const FEW = 16;

/**
 * How many items of a list that only grows are ordered before each thread, from the first one on.
 * An order, once known, stays known. A flag of a long program has thousands of versions, and
 * a thread has seen nearly all of them.
 */
export class KnownBeginnings {
  /** Absent for short lists, of which there are many. */
  #counts: WeakMap<GroupClocks, Uint32Array> | undefined;

  /** The items that are not ordered before the next event of `thread`, in their order. */
  others<T>(list: readonly T[], group: GroupClocks, thread: number, isKnown: (item: T) => boolean): readonly T[] {
    if (list.length < FEW) return list.filter((item) => !isKnown(item));
    this.#counts ??= new WeakMap();
    const counts = this.#counts.get(group) ?? new Uint32Array(group.threads);
    this.#counts.set(group, counts);
    let count = numberAt(counts, thread);
    while (count < list.length && isKnown(at(list, count))) count++;
    counts[thread] = count;
    const others: T[] = [];
    for (let i = count; i < list.length; i++) if (!isKnown(at(list, i))) others.push(at(list, i));
    return others;
  }
}
