import type { Finding, FindingLabel, ScheduleId } from '@nccl-ts/findings';
import { agentOf, type GroupClocks, type SeenAccess, type Who } from '@nccl-ts/memory-model';

/**
 * The number of words that are remembered for one wait of one CTA. Kernels that poll each word of a
 * message have millions.
 */
const MOST = 64;

/** The write by which a wait has passed last, and the launch that waited. */
interface Consumed {
  readonly who: Who;
  readonly stamp: number;
  readonly least: bigint | undefined;
  readonly group: GroupClocks;
}

/** A wait of a CTA and the strong write that it counts as having read. */
export interface PassedWait {
  readonly group: GroupClocks;
  readonly wait: SeenAccess;
  readonly address: number;
  readonly write: SeenAccess;
  /** The least value that lets the wait pass, if there is one. */
  readonly least: bigint | undefined;
}

/*
 * A flag that is neither reset nor given a new value in each launch keeps the value of the previous
 * one. The wait of the next launch then waits for nothing. That may be meant, as for a flag that
 * says once that a buffer is ready. So it is no error.
 */

/** Finds waits that pass by a write that an earlier launch of the kernel has consumed already. */
export class StaleFlags {
  /** By CTA, site and address. */
  readonly #consumed = new Map<number, Map<number, Map<number, Consumed>>>();
  /** By CTA: the stamp at which each of its launches began. */
  readonly #launches = new Map<number, number[]>();

  /** A launch of a CTA begins. */
  opens({ agent, stamp }: GroupClocks): void {
    const begun = this.#launches.get(agent) ?? [];
    this.#launches.set(agent, begun);
    begun.push(stamp);
  }

  /** True if an earlier launch of the CTA has passed by the same write, and the write is as old. */
  isStale({ group, wait, address, write, least }: PassedWait): boolean {
    const bySite = this.#consumed.get(group.agent) ?? new Map<number, Map<number, Consumed>>();
    this.#consumed.set(group.agent, bySite);
    const byAddress = bySite.get(wait.site) ?? new Map<number, Consumed>();
    bySite.set(wait.site, byAddress);
    const known = byAddress.get(address);
    if (known === undefined && byAddress.size >= MOST) return false;
    byAddress.set(address, { who: write.who, stamp: write.stamp, least, group });
    if (known === undefined || known.group === group) return false;
    if (known.who !== write.who || known.stamp !== write.stamp) return false;
    // A wait for more than last time counts on purpose: one write may bring enough for both.
    if (known.least !== least) return false;
    // A peer that runs ahead has made the write in a launch that this CTA only begins.
    const writer = agentOf(write.who);
    return writer !== group.agent && this.#launchOf(writer, write.stamp) < this.#launchOf(group.agent, wait.stamp);
  }

  /** The words in `[low, high)` are new. */
  forget(low: number, high: number): void {
    for (const bySite of this.#consumed.values())
      for (const byAddress of bySite.values())
        for (const address of byAddress.keys()) if (address >= low && address < high) byAddress.delete(address);
  }

  /** The number of launches of the CTA that had begun by `stamp`. */
  #launchOf(agent: number, stamp: number): number {
    const begun = this.#launches.get(agent);
    // A thread that is no CTA's has no launches: its writes are never stale.
    if (begun === undefined) return Number.POSITIVE_INFINITY;
    return begun.findLastIndex((first) => first <= stamp) + 1;
  }
}

/** The finding for such a wait. */
export function staleFlagFinding(labels: readonly FindingLabel[], schedule: ScheduleId): Finding {
  return Object.freeze({
    kind: 'leftover',
    severity: 'note',
    message:
      'a wait passes by a value that an earlier launch of this kernel already waited for: reset the flag, or wait for a value that changes with each launch',
    labels: Object.freeze([...labels]),
    missing: Object.freeze([]),
    certainty: 'this schedule',
    schedule,
  } satisfies Finding);
}
