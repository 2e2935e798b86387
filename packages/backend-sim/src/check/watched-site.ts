import type { Site } from '@nccl-ts/findings';
import type { WatchedSite } from '@nccl-ts/memory-model';

/** The network's changes of a signal on behalf of a source location. */
export const signalSite: WatchedSite = Object.freeze({
  kind: 'atomic',
  bytes: 8,
  access: Object.freeze({ order: 'relaxed', scope: 'system' }),
});

/**
 * A source location in the order of GPUs. `isFlag` is true for the plain store of a flag, which
 * GPUs perform at once. An atomic without a scope is not known to fail at other GPUs, so it counts
 * as one of system scope.
 */
export function siteOnHardware(site: WatchedSite, isFlag: boolean): WatchedSite {
  if (isFlag) return { ...site, access: { order: 'relaxed', scope: 'system' } };
  return site.access?.unscoped === true ? { ...site, access: { ...site.access, scope: 'system' } } : site;
}

/** A source location as the memory model sees it. */
export function watchedSite({ what, access, polls, isNonCoherent }: Site): WatchedSite {
  const kind = what === 'store' || what === 'atomic' ? what : 'load';
  // The network's accesses for it are reported word by word.
  if (access === undefined) return { kind, bytes: 4 };
  const { bytes, order, scope, multicast, fabric, adds, applies, volatile, unscoped } = access;
  const ordered = order === undefined || scope === undefined ? undefined : { order, scope, unscoped };
  return { kind, bytes, access: ordered, multicast, fabric, adds, applies, volatile, polls, isNonCoherent };
}
