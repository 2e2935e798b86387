/**
 * The path by which an access reaches memory. Loads and stores use `generic`, and logical endpoints
 * use `fabric`.
 *
 * @see ncclMemProxyType
 */
export type MemoryProxy = 'generic' | 'fabric';

/** All proxies. */
export const memoryProxies: readonly MemoryProxy[] = Object.freeze(['generic', 'fabric']);
