import type { GroupClocks, SeenAccess } from '@nccl-ts/memory-model';

/** The last access of one thread. */
interface LastAccess extends SeenAccess {
  readonly address: number;
}

/** Receives accesses to shared memory of a CTA that does not exist yet, or no longer. */
export interface RemoteListener {
  /** The CTA may not have started. */
  early(access: SeenAccess): void;
  /** It may have ended. */
  gone(access: SeenAccess, owner: GroupClocks): void;
}

/** A CTA of the cluster that has started, and the stamp of its first event. */
interface StartedCta {
  readonly group: GroupClocks;
  readonly stamp: number;
}

/**
 * The accesses of CTAs to the shared memory of others in their cluster. The memory of a CTA begins
 * and ends with the CTA. So these accesses must come after an event of one of its threads, or after
 * a barrier of the cluster, and before the end of at least one of them.
 */
export class RemoteAccesses {
  readonly #listener: RemoteListener;
  /** The bytes of one CTA. */
  readonly #bytes: number;
  /** By rank: the last access of each thread, by its number. */
  readonly #last = new Map<number, Map<number, LastAccess>>();
  /** The CTAs that have ended, by rank. */
  readonly #ended = new Map<number, GroupClocks>();
  /** Those that have started, by rank. */
  readonly #started = new Map<number, StartedCta>();
  /** The CTAs of which a thread has passed a barrier of the cluster, at which all have arrived. */
  readonly #met = new Set<GroupClocks>();

  constructor(bytes: number, listener: RemoteListener) {
    this.#bytes = bytes;
    this.#listener = listener;
  }

  /** The CTA of this rank starts. */
  starts(group: GroupClocks, rank: number): void {
    this.#started.set(rank, { group, stamp: group.stamp });
  }

  /** A thread of the CTA has passed a barrier of the cluster. */
  met(group: GroupClocks): void {
    this.#met.add(group);
  }

  /**
   * The thread has accessed an address of the cluster's memory; `isStrongWrite` is true if its
   * stamp grew after that. `rank` is that of its CTA.
   */
  accessed(
    group: GroupClocks,
    thread: number,
    rank: number,
    address: number,
    site: number,
    isStrongWrite: boolean,
  ): void {
    const owner = Math.floor(address / this.#bytes);
    if (owner === rank) return;
    const who = group.whoBase + thread;
    const access = { who, stamp: group.stamp - Number(isStrongWrite), site: group.siteBase + site, address };
    const gone = this.#ended.get(owner);
    if (gone !== undefined) {
      this.#listener.gone(access, gone);
      return;
    }
    if (!this.#hasStarted(group, thread, rank, owner)) this.#listener.early(access);
    const known = this.#last.get(owner) ?? new Map<number, LastAccess>();
    this.#last.set(owner, known);
    known.set(who, access);
  }

  /** True if the thread knows that a CTA has started. */
  #hasStarted(group: GroupClocks, thread: number, rank: number, owner: number): boolean {
    const own = this.#started.get(rank);
    if (own !== undefined && this.#met.has(own.group)) return true;
    const other = this.#started.get(owner);
    if (other === undefined) return false;
    const { whoBase, threads } = other.group;
    return Array.from({ length: threads }, (_, t) => whoBase + t).some((who) =>
      group.isAfter(thread, who, other.stamp),
    );
  }

  /** The CTA of this rank ends. Accesses that nothing orders before that may also come later. */
  ends(group: GroupClocks, rank: number): void {
    this.#ended.set(rank, group);
    const threads = Array.from({ length: group.threads }, (_, thread) => thread);
    for (const access of this.#last.get(rank)?.values() ?? []) {
      if (!threads.some((thread) => group.isAfter(thread, access.who, access.stamp)))
        this.#listener.gone(access, group);
    }
  }
}
