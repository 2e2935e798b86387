import type { BodyFunction } from '../author/device-fn.ts';

/**
 * Functions whose scripts were not read yet, the latest at the end. The references are weak,
 * because no report needs most of these functions.
 */
let pending: WeakRef<BodyFunction>[] = [];
const seen = new WeakSet<BodyFunction>();
const mostPending = 256;

/** Records a function whose position a report may need. */
export function noteCaptured(body: BodyFunction): void {
  if (seen.has(body)) return;
  seen.add(body);
  pending.push(new WeakRef(body));
  // Half the list is dropped at once. Otherwise a process that captures many functions would move
  // the list for each.
  if (pending.length > 2 * mostPending) pending = pending.slice(-mostPending);
}

/**
 * Returns the functions recorded since the last call, without those that were garbage-collected.
 */
export function takeCaptured(): readonly BodyFunction[] {
  const taken = pending.slice(-mostPending).flatMap((ref) => ref.deref() ?? []);
  pending = [];
  return taken;
}
