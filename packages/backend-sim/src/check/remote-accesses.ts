import type { GroupClocks, SeenAccess } from '@nccl-ts/memory-model';

/** The last access of one thread. */
interface LastAccess extends SeenAccess {
  readonly address: number;
}

/** Called for an access to shared memory of a CTA that may have ended. */
export type OnGone = (access: SeenAccess, owner: GroupClocks) => void;

/**
 * The accesses of CTAs to the shared memory of others in their cluster. The memory of a CTA ends
 * with the CTA, so these accesses must come before the end of at least one of its threads.
 */
export class RemoteAccesses {
  readonly #onGone: OnGone;
  /** The bytes of one CTA. */
  readonly #bytes: number;
  /** By rank: the last access of each thread, by its number. */
  readonly #last = new Map<number, Map<number, LastAccess>>();
  /** The CTAs that have ended, by rank. */
  readonly #ended = new Map<number, GroupClocks>();

  constructor(bytes: number, onGone: OnGone) {
    this.#bytes = bytes;
    this.#onGone = onGone;
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
      this.#onGone(access, gone);
      return;
    }
    const known = this.#last.get(owner) ?? new Map<number, LastAccess>();
    this.#last.set(owner, known);
    known.set(who, access);
  }

  /** The CTA of this rank ends. Accesses that nothing orders before that may also come later. */
  ends(group: GroupClocks, rank: number): void {
    this.#ended.set(rank, group);
    const threads = Array.from({ length: group.threads }, (_, thread) => thread);
    for (const access of this.#last.get(rank)?.values() ?? []) {
      if (!threads.some((thread) => group.isAfter(thread, access.who, access.stamp))) this.#onGone(access, group);
    }
  }
}
