import type { ScopeWidth } from '../scope.ts';
import { Clock, joinSnapshot, type Snapshot } from './clock.ts';
import type { GroupClocks } from './group-clocks.ts';

/**
 * The order of sequentially consistent fences: each is ordered after those before it, where the
 * scopes of the two reach each other's thread.
 */
export class FenceOrder {
  /**
   * What fences of a width around a rank or a CTA have published, by width and by whose reach it
   * is.
   */
  readonly #clocks = new Map<string, Clock>();

  /** `thread` takes its place in the order: it gets what was before. */
  enter(group: GroupClocks, thread: number, width: ScopeWidth): void {
    for (const key of keysBefore(group, width)) {
      const clock = this.#clocks.get(key);
      if (clock !== undefined) group.joinClock(thread, clock);
    }
  }

  /** What those after it get. */
  leave(group: GroupClocks, width: ScopeWidth, snapshot: Snapshot): void {
    for (const key of keysAfter(group, width)) {
      const clock = this.#clocks.get(key) ?? new Clock(0);
      joinSnapshot(clock, snapshot);
      this.#clocks.set(key, clock);
    }
  }
}

/**
 * A fence of a width is found by those within its reach: around all, around its rank and domain,
 * around its CTA.
 */
function keysAfter({ rank, cta, domain }: GroupClocks, width: ScopeWidth): readonly string[] {
  const block = `block of cta ${cta}`;
  const device = `domain ${domain} of rank ${rank}`;
  switch (width) {
    case 0:
    case 1:
      return [];
    case 2:
      return [block];
    case 3:
      return [device, `any of cta ${cta}`];
    case 4:
      return ['system', `any of ${device}`, `any of cta ${cta}`];
  }
}

function keysBefore({ rank, cta, domain }: GroupClocks, width: ScopeWidth): readonly string[] {
  const block = `block of cta ${cta}`;
  const device = `domain ${domain} of rank ${rank}`;
  switch (width) {
    case 0:
    case 1:
      return [];
    case 2:
      return [block, `any of cta ${cta}`];
    case 3:
      return [block, device, `any of ${device}`];
    case 4:
      return [block, device, 'system'];
  }
}
