import type { GroupClocks } from './group-clocks.ts';
import { isPolledLine } from './hardware-lines.ts';
import type { SeenAccess } from './race.ts';
import type { WatchedSite } from './watched-site.ts';

/** True if the order of GPUs may decide if an access races with an earlier one. */
export function mayDependOnHardware(now: WatchedSite, before: WatchedSite): boolean {
  return isPolledLine(now, before) || mayBeDecided(now, before) || isUnscoped(now) || isUnscoped(before);
}

/**
 * True if GPUs order two accesses that race in the memory model. `isThreads`: the earlier one is by
 * a thread of a kernel.
 */
export function isOrderedByHardware(
  group: GroupClocks,
  thread: number,
  now: WatchedSite,
  before: WatchedSite,
  { who, stamp }: SeenAccess,
  isThreads: boolean,
): boolean {
  if (isPolledLine(now, before)) return true;
  if (mayBeDecided(now, before) && group.hasDecidedAfter(thread, who, stamp)) return true;
  // The accesses of the network and of copies have no kind of their own.
  return isThreads && now.kind !== 'load' && before.kind === 'load' && group.isOver(thread, who, stamp);
}

function isUnscoped({ access }: WatchedSite): boolean {
  return access?.unscoped === true;
}

/** A load without a memory order may return what its multiprocessor has cached before. */
function mayBeDecided(now: WatchedSite, before: WatchedSite): boolean {
  return before.kind === 'store' && now.kind === 'load' && now.access !== undefined;
}
