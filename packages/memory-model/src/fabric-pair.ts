import type { MemoryProxy } from '@nccl-ts/core';

/** A producer and a consumer, at least one of which is the fabric proxy. */
export type FabricPair = 'generic to fabric' | 'fabric to fabric' | 'fabric to generic';

/**
 * The pairs of proxies that need two fences between two accesses: one that ends the use of the
 * first proxy, and one that begins that of the second. Bulk copies of different blocks are such a
 * pair, because an order of the async proxy holds within a block only. The end of a copy is the
 * first of the two fences.
 */
export type ProxyPair = FabricPair | 'async to async';

/**
 * Returns the pair of two proxies, or `undefined` for two generic accesses, which need no proxy
 * fence.
 */
export function fabricPair(producer: MemoryProxy, consumer: MemoryProxy): FabricPair | undefined {
  if (producer === 'fabric') return consumer === 'fabric' ? 'fabric to fabric' : 'fabric to generic';
  return consumer === 'fabric' ? 'generic to fabric' : undefined;
}
