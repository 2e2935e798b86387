import { at } from '@nccl-ts/core';
import type { EpochId, Epochs } from './epochs.ts';
import { currentAccess, seenAt } from './explain.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { HappensBeforeOptions } from './happens-before-options.ts';
import type { Shadow } from './shadow.ts';
import type { WaitRead } from './want.ts';
import type { WatchedSite } from './watched-site.ts';

interface WatchedWorld {
  readonly epochs: Epochs;
  readonly sites: readonly WatchedSite[];
  readonly options: HappensBeforeOptions;
}

/**
 * True if a write gave a word of a shared array its first contents. No order of GPUs protects a
 * wait from such a write: the wait may end with what the word holds before.
 */
export function isFirstWrite({ firstWrites }: Shadow, address: number, write: EpochId): boolean {
  return firstWrites?.get(address >>> 2) === write;
}

/**
 * Handles a read by a wait, before it happens. Reports it as one of unwritten bytes if the wait may
 * begin before their first write.
 */
export function looksUnwritten(
  { epochs, sites, options }: WatchedWorld,
  group: GroupClocks,
  { thread, shadow, address, site }: WaitRead,
): void {
  const { firstWrites } = shadow;
  if (firstWrites === undefined) return;
  const end = address + at(sites, group.siteBase + site).bytes;
  for (let byte = address; byte < end; byte += 4) {
    const write = firstWrites.get(byte >>> 2);
    // If there is none yet, the read itself is reported.
    if (write === undefined || group.isAfter(thread, at(epochs.who, write), at(epochs.stamp, write))) continue;
    const [now, before] = [currentAccess(group, thread, site), seenAt(write, epochs)];
    if (options.reportLevel?.('uninitialised', now.site, before.site) !== 'enough')
      options.onSeen({ kind: 'uninitialised', now, before, address: byte, bytes: 4 }, shadow);
    return;
  }
}
