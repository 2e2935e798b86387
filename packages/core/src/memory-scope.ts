/**
 * The threads among which an order holds: the thread itself, its CTA, its GPU, all GPUs and the
 * host.
 *
 * @see cuda::thread_scope
 */
export type MemoryScope = 'thread' | 'block' | 'device' | 'system';

/** Every scope, each contained in the next. */
export const memoryScopes: readonly MemoryScope[] = Object.freeze(['thread', 'block', 'device', 'system']);

/** True if `value` names a scope. */
export function isMemoryScope(value: unknown): value is MemoryScope {
  return value === 'thread' || value === 'block' || value === 'device' || value === 'system';
}
