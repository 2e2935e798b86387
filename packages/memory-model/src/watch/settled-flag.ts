import { SYSTEM } from '../scope.ts';
import type { Published } from './published.ts';
import { snapshotCovers } from './snapshot.ts';
import { isOrdered } from './versions.ts';
import { isAfter, type PassedRead, type Version, type WordLog } from './word-log.ts';

/**
 * Examines a wait for a flag, with all writes known. Every unread write must come before the one
 * read, or must be a later one that also satisfies the wait, of the same thread or of one that
 * passes on the same clocks. `doubt` is the reason why another run may differ.
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
    const follows =
      from === undefined ||
      from.kind === 'initial' ||
      (isOrdered(from) && (one.who === from.who || passesOn(one, from)));
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

/** True if whoever reads `one`, which came later, gets all clocks that `from` has published. */
function passesOn(one: Version, from: Version): boolean {
  if (!isOrdered(one) || one.beside.has(from)) return false;
  const published = one.alone?.published ?? [];
  return (from.alone?.published ?? []).every((clock) => published.some((other) => includesClock(other, clock, from)));
}

function includesClock(one: Published, clock: Published, from: Version): boolean {
  // The orders by proxy fences and by the network depend on the path.
  if (one.got !== undefined || clock.got !== undefined) return false;
  if (clock.snapshot.bridged !== undefined || clock.snapshot.fabric !== undefined) return false;
  const reachesAsFar = one.width === SYSTEM || (one.width === clock.width && one.by.cta === clock.by.cta);
  return reachesAsFar && snapshotCovers(one.snapshot, from.who, from.stamp);
}
