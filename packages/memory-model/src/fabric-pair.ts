import type { MemoryProxy } from '@nccl-ts/core';

/** A producer and a consumer, at least one of which is the fabric proxy. */
export type FabricPair = 'generic to fabric' | 'fabric to fabric' | 'fabric to generic';

/**
 * Returns the pair of two proxies, or `undefined` for two generic accesses, which need no proxy
 * fence.
 */
export function fabricPair(producer: MemoryProxy, consumer: MemoryProxy): FabricPair | undefined {
  if (producer === 'fabric') return consumer === 'fabric' ? 'fabric to fabric' : 'fabric to generic';
  return consumer === 'fabric' ? 'generic to fabric' : undefined;
}
