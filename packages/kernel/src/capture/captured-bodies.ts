import type { BodyFunction } from '../device-fn.ts';

/**
 * Functions whose scripts were not read yet, the latest at the end. Held weakly: most are never
 * asked about.
 */
let pending: WeakRef<BodyFunction>[] = [];
const seen = new WeakSet<BodyFunction>();
const mostPending = 256;

/** Notes a function that reports may ask about. */
export function noteCaptured(body: BodyFunction): void {
  if (seen.has(body)) return;
  seen.add(body);
  pending.push(new WeakRef(body));
  // By halves, so that a process that captures very many functions does not move the list for each.
  if (pending.length > 2 * mostPending) pending = pending.slice(-mostPending);
}

/** The functions noted since the last call that are still there. */
export function takeCaptured(): readonly BodyFunction[] {
  const taken = pending.slice(-mostPending).flatMap((ref) => ref.deref() ?? []);
  pending = [];
  return taken;
}
