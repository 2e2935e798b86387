import { at } from '@nccl-ts/core';
import type { AccessListener } from './accesses.ts';
import type { Agent } from './agent.ts';
import { agentOf } from './clock.ts';
import type { Epochs } from './epochs.ts';
import { currentAccess, seenAt } from './explain.ts';
import type { HappensBeforeOptions } from './happens-before-options.ts';
import { proxyOf } from './race.ts';
import type { Shadow } from './shadow.ts';

interface WatchedWorld {
  readonly epochs: Epochs;
  /** The shadow of global memory. */
  readonly shadow: Shadow;
  agent(index: number): Agent;
}

/** Reports what an access reveals besides races, unless the same was reported often enough. */
export function accessListener(
  order: WatchedWorld,
  { onSeen, reportLevel, determinacy }: HappensBeforeOptions,
  raced: AccessListener['raced'],
): AccessListener {
  return {
    raced,
    unwritten: (group, thread, site, shadow, address) => {
      if (order.agent(group.agent).kind !== 'cta') return;
      if (reportLevel?.('uninitialised', group.siteBase + site, 0) === 'enough') return;
      onSeen({ kind: 'uninitialised', now: currentAccess(group, thread, site), address, bytes: 4 }, shadow);
    },
    mixed: (group, thread, site, before, shadow, address) => {
      if (reportLevel?.('proxy', group.siteBase + site, at(order.epochs.site, before)) === 'enough') return;
      const now = currentAccess(group, thread, site);
      const seen = { now, before: seenAt(before, order.epochs), address, bytes: 4 };
      const kinds = [group.agent, agentOf(seen.before.who)].map((agent) => order.agent(agent).kind);
      onSeen({ kind: 'proxy', proxy: proxyOf(kinds, shadow === order.shadow), ...seen }, shadow);
    },
    droppedStores: () => {
      if (determinacy !== undefined) determinacy.hasDroppedStores = true;
    },
  };
}
