import { at } from '@nccl-ts/core';
import { isNetworkPoll } from './arrived-words.ts';
import { agentOf } from './clock.ts';
import type { EpochId } from './epochs.ts';
import { isFirstWrite, looksUnwritten } from './first-writes.ts';
import type { GroupClocks } from './group-clocks.ts';
import { isPolledLine } from './hardware-lines.ts';
import type { HappensBefore } from './happens-before.ts';
import type { WaitRead } from './want.ts';

/**
 * The looks of a wait at its words that did not end it. How many there are, and when, differs from
 * run to run, so each write that is not ordered before the wait may come at the time of one of
 * them. It races with the wait's loads unless it is strong for them, even if a later write orders
 * it before the end of the wait.
 */
export class FailingLooks {
  readonly #order: HappensBefore;
  readonly #group: GroupClocks;
  readonly #weak: readonly { readonly read: WaitRead; readonly writes: readonly EpochId[] }[];

  /** `reads`: the reads with which the wait ends, before they happen. */
  constructor(order: HappensBefore, group: GroupClocks, reads: readonly WaitRead[]) {
    this.#order = order;
    this.#group = group;
    this.#weak = reads.flatMap((read) => {
      const { shadow, thread, address, site } = read;
      looksUnwritten(order, group, read);
      const writes = order.accesses
        .weakWrites(group, thread, shadow, address, site)
        .filter((write) => !isFirstWrite(shadow, address, write));
      return writes.length === 0 ? [] : [{ read, writes }];
    });
  }

  /**
   * Reports the races, after the wait has ended. The reads with which it ends have reported writes
   * that nothing orders before them either.
   */
  report(): void {
    const { epochs, sites, isOnHardware } = this.#order;
    const group = this.#group;
    for (const { read, writes } of this.#weak) {
      const { thread, shadow, address, site } = read;
      const poll = at(sites, group.siteBase + site);
      for (const write of writes) {
        const who = at(epochs.who, write);
        if (!group.isAfter(thread, who, at(epochs.stamp, write))) continue;
        const isByNetwork = this.#order.agent(agentOf(who)).kind === 'network';
        const isLine = isPolledLine(poll, at(sites, at(epochs.site, write))) || (isByNetwork && isNetworkPoll(poll));
        const isFlag = this.#order.flagStores.note(sites, group.siteBase + site, at(epochs.site, write));
        this.#order.leansOnHardware ||= isLine || isFlag;
        if (!isLine || !isOnHardware) this.#order.reports(group, thread, site, write, shadow, address);
      }
    }
  }
}
