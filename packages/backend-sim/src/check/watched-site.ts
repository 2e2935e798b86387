import type { Site } from '@nccl-ts/findings';
import type { WatchedSite } from '@nccl-ts/memory-model';

/** The network's changes of a signal on behalf of a source location. */
export const signalSite: WatchedSite = Object.freeze({
  kind: 'atomic',
  bytes: 8,
  access: Object.freeze({ order: 'relaxed', scope: 'system' }),
});

/** The plain store of a flag, as GPUs perform it. */
export function flagStore(site: WatchedSite): WatchedSite {
  return { ...site, access: { order: 'relaxed', scope: 'system' } };
}

/** A source location as the memory model sees it. */
export function watchedSite({ what, access, polls, isNonCoherent }: Site): WatchedSite {
  const kind = what === 'store' || what === 'atomic' ? what : 'load';
  // The network's accesses for it are reported word by word.
  if (access === undefined) return { kind, bytes: 4 };
  const { bytes, order, scope, multicast, fabric, adds, applies, volatile } = access;
  const ordered = order === undefined || scope === undefined ? undefined : { order, scope };
  return { kind, bytes, access: ordered, multicast, fabric, adds, applies, volatile, polls, isNonCoherent };
}
