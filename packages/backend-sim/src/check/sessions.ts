import type { Finding, ScheduleId } from '@nccl-ts/findings';
import { agentOf, type GroupClocks, type Race, type SeenAccess } from '@nccl-ts/memory-model';
import { misuseFinding } from './misuse-finding.ts';
import type { Participants } from './participants.ts';

/** A session that keeps its epoch in a word of its rank. */
interface EpochSession {
  readonly group: GroupClocks;
  /** The id of a session of the kernel. */
  readonly id: number;
  /** The first of its threads to begin it. */
  readonly begun: SeenAccess;
  readonly threads: Set<number>;
  alive: boolean;
}

/** Two sessions of one barrier, later one first, that are or may be alive at the same time. */
export interface SessionPair {
  readonly now: SeenAccess;
  readonly before: SeenAccess;
}

/** The live sessions, by the word that keeps their epoch between sessions. */
export class Sessions {
  readonly #latest = new Map<number, EpochSession>();
  /** The previous session, if it belonged to another CTA or is alive. */
  readonly #previous = new Map<number, EpochSession>();
  readonly #sites = new Set<number>();
  readonly #over = new WeakSet<GroupClocks>();

  /**
   * Called when a thread begins a session by reading the word at `address`. Returns the session
   * that should have ended before.
   */
  begins(group: GroupClocks, thread: number, address: number, site: number, id: number): SessionPair | undefined {
    const place = group.siteBase + site;
    this.#sites.add(place);
    const latest = this.#latest.get(address);
    const isSame = latest !== undefined && latest.group === group && latest.id === id;
    if (isSame && !latest.threads.has(thread)) {
      latest.threads.add(thread);
      return undefined;
    }
    const begun = { who: group.whoBase + thread, stamp: group.stamp, site: place };
    this.#latest.set(address, { group, id, begun, threads: new Set([thread]), alive: true });
    if (latest === undefined) return undefined;
    this.#previous.set(address, latest);
    if (isSame || !latest.alive || this.#over.has(latest.group)) return undefined;
    return { now: begun, before: latest.begun };
  }

  /** Called when the session ends by writing the word. */
  ends(group: GroupClocks, address: number, site: number): void {
    this.#sites.add(group.siteBase + site);
    for (const session of [this.#latest.get(address), this.#previous.get(address)]) {
      if (session?.group === group) session.alive = false;
    }
  }

  /** Called when the CTA has ended, and its sessions with it. */
  closed(group: GroupClocks): void {
    this.#over.add(group);
  }

  /** True if sessions begin or end at both source locations. */
  areSites(now: number, before: number): boolean {
    return this.#sites.has(now) && this.#sites.has(before);
  }

  /**
   * Returns two sessions of different CTAs whose accesses to the word are not ordered, so that they
   * may overlap.
   */
  pairOf({ now, before, address }: Race): SessionPair | undefined {
    if (!this.areSites(now.site, before.site)) return undefined;
    if (agentOf(now.who) === agentOf(before.who)) return undefined;
    const [latest, previous] = [this.#latest.get(address), this.#previous.get(address)];
    return latest === undefined || previous === undefined ? undefined : { now: latest.begun, before: previous.begun };
  }

  forget(low: number, high: number): void {
    for (const known of [this.#latest, this.#previous]) {
      for (const address of known.keys()) if (address >= low && address < high) known.delete(address);
    }
  }
}

/** The finding for such a pair. */
export function sessionFinding(
  { now, before }: SessionPair,
  participants: Participants,
  schedule: ScheduleId,
): Finding {
  return misuseFinding({
    message:
      'a session begins while another one of the same barrier may be alive, and both continue from the same epoch: give each CTA its own index (blockIdx.x), or end the first session earlier',
    labels: [now, before].map((access) => Object.freeze({ ...participants.label(access), does: 'session' })),
    schedule,
  });
}
