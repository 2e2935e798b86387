import type { Finding, FindingLabel, ScheduleId } from '@nccl-ts/findings';
import { agentOf, type SeenAccess, type Who } from '@nccl-ts/memory-model';
import type { Participants } from './participants.ts';

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
  /** The launch that waited, as a number among those of its CTA. */
  readonly launch: number;
}

/** A wait of a CTA and the strong write that it counts as having read. */
export interface PassedWait {
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
  readonly #participants: Participants;

  constructor(participants: Participants) {
    this.#participants = participants;
  }

  /** True if an earlier launch of the CTA has passed by the same write, and the write is as old. */
  isStale({ wait, address, write, least }: PassedWait): boolean {
    const agent = agentOf(wait.who);
    const bySite = this.#consumed.get(agent) ?? new Map<number, Map<number, Consumed>>();
    this.#consumed.set(agent, bySite);
    const byAddress = bySite.get(wait.site) ?? new Map<number, Consumed>();
    bySite.set(wait.site, byAddress);
    const known = byAddress.get(address);
    if (known === undefined && byAddress.size >= MOST) return false;
    const launch = this.#participants.launchesOf(agent, wait.stamp);
    byAddress.set(address, { who: write.who, stamp: write.stamp, least, launch });
    if (known === undefined || known.launch === launch) return false;
    if (known.who !== write.who || known.stamp !== write.stamp) return false;
    // A wait for more than last time counts on purpose: one write may bring enough for both.
    if (known.least !== least) return false;
    // A peer that runs ahead has made the write in a launch that this CTA only begins.
    const writer = agentOf(write.who);
    return writer !== agent && this.#participants.launchesOf(writer, write.stamp) < launch;
  }

  /** The words in `[low, high)` are new. */
  forget(low: number, high: number): void {
    for (const bySite of this.#consumed.values())
      for (const byAddress of bySite.values())
        for (const address of byAddress.keys()) if (address >= low && address < high) byAddress.delete(address);
  }
}

/** The finding for such a wait. */
export function staleFlagFinding(labels: readonly FindingLabel[], schedule: ScheduleId): Finding {
  return Object.freeze({
    kind: 'leftover',
    severity: 'note',
    message:
      'a wait is satisfied by a value that an earlier launch of this kernel already waited for: reset the flag, or wait for a value that changes with each launch',
    labels: Object.freeze([...labels]),
    missing: Object.freeze([]),
    certainty: 'this schedule',
    schedule,
  } satisfies Finding);
}
