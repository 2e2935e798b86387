import { at } from '@nccl-ts/core';
import { agentOf, threadOf } from './clock.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { HappensBefore } from './happens-before.ts';
import { isOrderedByHardware } from './hardware-order.ts';
import type { SeenAccess } from './race.ts';
import type { PastAccess } from './word-history.ts';

/**
 * The remembered accesses to some bytes of a word that nothing orders before the next event of
 * `now`. Without a group, all of them.
 */
export function unorderedAccesses(
  order: HappensBefore,
  word: number,
  mask: number,
  now: SeenAccess,
  group: GroupClocks | undefined,
): readonly PastAccess[] {
  const past = order.accesses.history?.unordered(word, mask, group, threadOf(now.who)) ?? [];
  if (!order.isOnHardware || group === undefined) return past;
  const site = at(order.sites, now.site);
  return past.filter((one) => {
    const agents = { now: order.agent(group.agent), before: order.agent(agentOf(one.who)) };
    return !isOrderedByHardware(group, threadOf(now.who), site, at(order.sites, one.site), one, agents);
  });
}
