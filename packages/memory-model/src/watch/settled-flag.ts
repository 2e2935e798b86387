import { isOrdered } from './versions.ts';
import { isAfter, type PassedRead, type Version, type WordLog } from './word-log.ts';

/**
 * Examines a wait for a flag, with all writes known. Every unread write must come before the one
 * read, or must be a later one of the same thread that also satisfies the wait. `doubt` is the
 * reason why another run may differ.
 */
export function settledFlag(
  log: WordLog,
  { taken, base, want }: PassedRead,
  others: readonly Version[],
): { readonly doubt: string | undefined; readonly mayReadLater: boolean } {
  const from = taken[0] ?? base;
  let doubt: string | undefined;
  let mayReadLater = false;
  for (const one of others) {
    if (one === from) continue;
    if (from !== undefined && !isAfter(one, from)) {
      if (from.beside.has(one)) doubt ??= 'two writes of a flag may occur in either order';
      continue;
    }
    const follows = from === undefined || from.kind === 'initial' || (isOrdered(from) && one.who === from.who);
    const holds = log.holds(want, one.value) === true;
    // If a write does not satisfy the wait, the wait continues until the next one, which comes in
    // any case.
    const isFollowed = others.some(
      (next) => next.who === one.who && isAfter(next, one) && log.holds(want, next.value) === true,
    );
    if (!follows || (!holds && !isFollowed)) doubt ??= 'a wait may be satisfied by different flags';
    if (!holds) continue;
    mayReadLater = true;
    if (want.isUsedAfter && one.value !== from?.value) doubt ??= 'a wait may read one value or another';
  }
  return { doubt, mayReadLater };
}
