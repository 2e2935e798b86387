import { at } from '@nccl-ts/core';
import { agentOf } from './clock.ts';
import type { Epochs } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { Shadow } from './shadow.ts';

const WORD_BYTES = 4;

/**
 * Handles a plain load of global memory, in the order of GPUs. Returns true if the L1 cache may
 * serve it with what a write of another CTA has replaced.
 */
export function mayHitCache(
  { shadow, epochs }: { readonly shadow: Shadow; readonly epochs: Epochs },
  group: GroupClocks,
  address: number,
  bytes: number,
): boolean {
  let isStale = false;
  for (let word = address - (address % WORD_BYTES); word < address + bytes; word += WORD_BYTES) {
    const [write] = shadow.writesAt(word);
    if (write === undefined) continue;
    if (agentOf(at(epochs.who, write)) === group.agent) group.onGpus.cached.stores(word);
    else if (group.onGpus.cached.loads(word, write)) isStale = true;
  }
  return isStale;
}
