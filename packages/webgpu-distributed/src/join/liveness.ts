/**
 * Web Locks, which browsers have and Node has from version 24 on: a held lock is released when its
 * worker or tab ends.
 */
interface Locks {
  request(name: string, options: { readonly signal?: AbortSignal }, callback: () => Promise<void>): Promise<unknown>;
}

/**
 * Announces the worker or tab of a rank for its lifetime. Returns a function that ends the announcement.
 *
 * Without Web Locks, an unexpected end is not detected.
 */
export async function announce(name: string): Promise<() => void> {
  const locks = findLocks();
  if (locks === undefined) return () => undefined;
  return new Promise((resolve, reject) => {
    const held = locks.request(name, {}, async () => new Promise<void>((release) => resolve(release)));
    held.catch(reject);
  });
}

/** Calls back when an announced worker or tab has ended. Returns a function that cancels this. */
export function whenGone(name: string, callback: () => void): () => void {
  const locks = findLocks();
  if (locks === undefined) return () => undefined;
  const controller = new AbortController();
  const granted = locks.request(name, { signal: controller.signal }, async () => callback());
  // It rejects when it is cancelled.
  granted.catch(() => undefined);
  return () => controller.abort();
}

function findLocks(): Locks | undefined {
  const navigator: unknown = Reflect.get(globalThis, 'navigator');
  const locks: unknown =
    typeof navigator === 'object' && navigator !== null ? Reflect.get(navigator, 'locks') : undefined;
  return isLocks(locks) ? locks : undefined;
}

function isLocks(value: unknown): value is Locks {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'request') === 'function';
}
