/**
 * The way in which an access reaches memory: `generic` is that of loads and stores, and `fabric` is
 * that of logical endpoints.
 *
 * @see ncclMemProxyType
 */
export type MemoryProxy = 'generic' | 'fabric';

/** Every proxy. */
export const memoryProxies: readonly MemoryProxy[] = Object.freeze(['generic', 'fabric']);
