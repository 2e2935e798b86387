import { at } from '@nccl-ts/core';
import { isPolledFlag } from './hardware-lines.ts';
import type { WatchedSite } from './watched-site.ts';

/** The sites of plain stores of words that strong waits of other threads read. */
export class FlagStores {
  readonly sites: Set<number> = new Set();

  /** Called for two racing accesses. Returns true if one of them is such a store. */
  note(sites: readonly WatchedSite[], one: number, other: number): boolean {
    const [first, second] = [at(sites, one), at(sites, other)];
    const store = isPolledFlag(first, second) ? one : isPolledFlag(second, first) ? other : undefined;
    if (store !== undefined) this.sites.add(store);
    return store !== undefined;
  }
}
