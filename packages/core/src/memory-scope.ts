/**
 * The threads for which an order is valid: the thread itself, its CTA, its GPU, or all GPUs and the
 * host.
 *
 * @see cuda::thread_scope
 */
export type MemoryScope = 'thread' | 'block' | 'device' | 'system';

/**
 * The scopes of accesses and fences. `cluster` is a cluster of CTAs, which only PTX has. It lies
 * between the CTA and the GPU. A CTA that was launched without clusters is one by itself.
 */
export type AccessScope = MemoryScope | 'cluster';

/** All scopes of the device API, each contained in the next. */
export const memoryScopes: readonly MemoryScope[] = Object.freeze(['thread', 'block', 'device', 'system']);

/** True if `value` is the name of a scope. */
export function isMemoryScope(value: unknown): value is MemoryScope {
  return value === 'thread' || value === 'block' || value === 'device' || value === 'system';
}
