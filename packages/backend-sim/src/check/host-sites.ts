import type { SourceLocation } from '@nccl-ts/ir';
import type { HappensBefore } from '@nccl-ts/memory-model';
import { hostSiteName, type EarlierRun } from './earlier-run.ts';
import type { Participants } from './participants.ts';
import { siteOnHardware } from './watched-site.ts';

/** The numbers of the source locations of the hosts' accesses. */
export class HostSites {
  readonly #order: HappensBefore;
  readonly #participants: Participants;
  readonly #earlier: EarlierRun | undefined;
  /** By the name of the call. */
  readonly #known = new Map<string, number>();

  constructor(order: HappensBefore, participants: Participants, earlier: EarlierRun | undefined) {
    this.#order = order;
    this.#participants = participants;
    this.#earlier = earlier;
  }

  /** The site of the reads of a call; that of its writes is one higher. */
  of(call: SourceLocation | undefined): number {
    const key = hostSiteName(call);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const isFlag = this.#order.isOnHardware && this.#earlier?.flagStores.has(key) === true;
    const reads = this.#order.addSites([
      { kind: 'load', bytes: 4 },
      siteOnHardware({ kind: 'store', bytes: 4 }, isFlag),
    ]);
    this.#known.set(key, reads);
    this.#participants.addHostSites({ reads, writes: reads + 1, call });
    return reads;
  }
}
