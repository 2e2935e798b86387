import type { ScopeWidth } from '../scope.ts';
import { Clock } from './clock.ts';
import { joinSnapshot, type Snapshot } from './snapshot.ts';
import type { GroupClocks } from './group-clocks.ts';

/**
 * The order of sequentially consistent fences. A fence is ordered after an earlier one if each
 * scope includes the other's thread.
 */
export class FenceOrder {
  /**
   * The clocks that fences have published, by their width and by the rank, domain or CTA that their
   * scope includes.
   */
  readonly #clocks = new Map<string, Clock>();

  /** Adds `thread` to the order. It learns everything that earlier fences published. */
  add(group: GroupClocks, thread: number, width: ScopeWidth): void {
    for (const key of keysBefore(group, width)) {
      const clock = this.#clocks.get(key);
      if (clock === undefined) continue;
      // A shared clock is joined by its maps. One that may change is copied entry by entry, and it
      // has an entry for each thread with a fence.
      clock.shared = true;
      group.joinClock(thread, clock);
    }
  }

  /** Publishes the thread's clock to later fences. */
  leave(group: GroupClocks, width: ScopeWidth, snapshot: Snapshot): void {
    for (const key of keysAfter(group, width)) {
      const known = this.#clocks.get(key) ?? new Clock(0);
      const clock = known.shared ? known.clone() : known;
      joinSnapshot(clock, snapshot);
      this.#clocks.set(key, clock);
    }
  }
}

/**
 * The keys of the fences that a fence with scope `width` reaches: all of them, those of its rank
 * and domain, of its cluster, or of its CTA.
 */
function keysAfter({ rank, cta, cluster, domain }: GroupClocks, width: ScopeWidth): readonly string[] {
  const block = `block of cta ${cta}`;
  const among = clusterKey(cta, cluster);
  const device = `domain ${domain} of rank ${rank}`;
  switch (width) {
    case 0:
    case 1:
      return [];
    case 2:
      return [block];
    case 3:
      return [among, `any of cta ${cta}`];
    case 4:
      return [device, `any of ${among}`, `any of cta ${cta}`];
    case 5:
      return ['system', `any of ${device}`, `any of ${among}`, `any of cta ${cta}`];
  }
}

/** A CTA without a cluster is one by itself. */
function clusterKey(cta: number, cluster: number | undefined): string {
  return cluster === undefined ? `cluster of cta ${cta}` : `cluster ${cluster}`;
}

function keysBefore({ rank, cta, cluster, domain }: GroupClocks, width: ScopeWidth): readonly string[] {
  const block = `block of cta ${cta}`;
  const among = clusterKey(cta, cluster);
  const device = `domain ${domain} of rank ${rank}`;
  switch (width) {
    case 0:
    case 1:
      return [];
    case 2:
      return [block, `any of cta ${cta}`];
    case 3:
      return [block, among, `any of ${among}`];
    case 4:
      return [block, among, device, `any of ${device}`];
    case 5:
      return [block, among, device, 'system'];
  }
}
