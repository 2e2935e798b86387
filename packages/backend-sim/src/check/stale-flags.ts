import type { Finding, FindingLabel, ScheduleId } from '@nccl-ts/findings';
import { agentOf, type SeenAccess, type Who } from '@nccl-ts/memory-model';
import type { Participants } from './participants.ts';

/**
 * The number of words that are remembered for one wait of one CTA. Kernels that poll each word of a
 * message have millions.
 */
const MOST = 64;

/** The write that last satisfied a wait, and the launch that waited. */
interface Consumed {
  readonly who: Who;
  readonly stamp: number;
  readonly least: bigint | undefined;
  /** The launch that waited, as an index among those of its CTA. */
  readonly launch: number;
}

/** A wait of a CTA, and the strong write that it counts as having read. */
export interface PassedWait {
  readonly wait: SeenAccess;
  readonly address: number;
  readonly write: SeenAccess;
  /** The smallest value that satisfies the wait, if there is one. */
  readonly least: bigint | undefined;
}

/*
 * If a flag is neither reset nor given a new value in each launch, it keeps the value of the
 * previous launch. The wait of the next launch then passes at once. This may be intended, as for a
 * flag that says once that a buffer is ready, so it is not an error.
 */

/**
 * Finds waits that are satisfied by a write which an earlier launch of the kernel has already
 * consumed.
 */
export class StaleFlags {
  /** By CTA, site and address. */
  readonly #consumed = new Map<number, Map<number, Map<number, Consumed>>>();
  readonly #participants: Participants;

  constructor(participants: Participants) {
    this.#participants = participants;
  }

  /**
   * True if the same write already satisfied the wait in an earlier launch of the CTA, and the
   * write is that old.
   */
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
    // A wait for more than last time counts on purpose: one write may be enough for both.
    if (known.least !== least) return false;
    // A peer that runs ahead may have made the write in a launch that this CTA is only starting.
    const writer = agentOf(write.who);
    return writer !== agent && this.#participants.launchesOf(writer, write.stamp) < launch;
  }

  /** Called when the words in `[low, high)` are new. */
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
