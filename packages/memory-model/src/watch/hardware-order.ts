import type { AgentInit } from './agent.ts';
import { isNetworkPoll } from './arrived-words.ts';
import type { GroupClocks } from './group-clocks.ts';
import { isPolledLine } from './hardware-lines.ts';
import type { SeenAccess } from './race.ts';
import type { WatchedSite } from './watched-site.ts';

/** The agents of two accesses. */
interface Agents {
  readonly now: Pick<AgentInit, 'kind'>;
  readonly before: Pick<AgentInit, 'kind' | 'readsSources'>;
}

/** True if the order of GPUs may decide if an access races with an earlier one. */
export function mayDependOnHardware(now: WatchedSite, before: WatchedSite, agents: Agents): boolean {
  if (isPolledLine(now, before) || isPolledArrival(now, before, agents)) return true;
  return mayBeDecided(now, before) || isUnscoped(now) || isUnscoped(before);
}

/** True if GPUs order two accesses that race in the memory model. */
export function isOrderedByHardware(
  group: GroupClocks,
  thread: number,
  now: WatchedSite,
  before: WatchedSite,
  { who, stamp }: SeenAccess,
  agents: Agents,
): boolean {
  if (isPolledLine(now, before) || isPolledArrival(now, before, agents)) return true;
  if (mayBeDecided(now, before) && group.onGpus.decided.covers(thread, who, stamp)) return true;
  // The accesses of the network and of copies have no kind of their own. One of the network that
  // races with a load is a write.
  const writes = now.kind !== 'load' || agents.now.kind === 'network';
  const hasRead = agents.before.kind === 'cta' ? before.kind === 'load' : agents.before.readsSources === true;
  return hasRead && writes && group.isOver(thread, who, stamp);
}

/** True if the network writes a word at once that a wait reads. */
function isPolledArrival(now: WatchedSite, before: WatchedSite, agents: Agents): boolean {
  const [isNow, wasBefore] = [agents.now.kind === 'network', agents.before.kind === 'network'];
  return (isNow && isNetworkPoll(before)) || (wasBefore && isNetworkPoll(now));
}

function isUnscoped({ access }: WatchedSite): boolean {
  return access?.unscoped === true;
}

/** A load without a memory order may return what its multiprocessor has cached before. */
function mayBeDecided(now: WatchedSite, before: WatchedSite): boolean {
  return before.kind === 'store' && now.kind === 'load' && now.access !== undefined;
}
