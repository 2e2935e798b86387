import { includes, type Place, type ScopeWidth } from '../scope.ts';
import { snapshotCovers, whoIs, type Who } from './clock.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { LoggedRead, Version } from './word-log.ts';

/** A strong load. */
export interface LoggedLoad extends LoggedRead {
  /** From whom it acquires; absent: it does not. */
  readonly acquires: { readonly width: ScopeWidth; readonly place: Place } | undefined;
  /**
   * By which places of its program what it reads may come out of the thread; absent: in another way
   * too.
   */
  readonly usedAt: ReadonlySet<number> | undefined;
  /** True if the thread has been at one of them since. */
  isUsed: boolean;
  /** True if several writes may answer it. */
  isOpen: boolean;
}

/** A wait that has seen a write, in every run. */
export interface Witness extends LoggedRead {
  readonly saw: Version;
  /** Loads of which it tells that they are before that write. */
  readonly tells: LoggedLoad[];
}

/*
 * Where a thread loads, and then writes what another one waits for, before that one writes what was
 * loaded, the load may be answered by that write, as long as nothing releases it: by the model
 * loads may be late. Not if it acquires and the write releases: the wait would then be ordered
 * before what it has waited for, and no write is read by what comes before it.
 */

/**
 * Which waits have seen what: each in the name of an agent of its own, whom those know of that are
 * ordered after it, by what releases and acquires and by nothing else.
 */
export class Witnesses {
  readonly #agents = new Map<number, number>();
  readonly #counts = new Map<Who, number>();
  readonly #witnesses: Witness[] = [];

  /** A thread passes a wait by `taken`. `addAgent` makes agents that do nothing. */
  pass(
    group: GroupClocks,
    thread: number,
    taken: readonly Version[],
    acquires: ScopeWidth | undefined,
    addAgent: () => number,
  ): readonly Witness[] {
    // What others add is seen through what was added after it, and then orders nothing but what the
    // network releases, to the system.
    const seen = taken.filter(({ posted, kind }) => (posted === undefined ? kind === 'store' : acquires === 4));
    if (seen.length === 0) return [];
    const agent = this.#agents.get(group.agent) ?? addAgent();
    this.#agents.set(group.agent, agent);
    const who = whoIs(agent, thread);
    const stamp = this.#counts.get(who) ?? 0;
    this.#counts.set(who, stamp + 1);
    group.knows(thread, who, stamp + 1);
    const witnesses = seen.map((saw) => ({ who, stamp, saw, tells: [] }));
    this.#witnesses.push(...witnesses);
    return witnesses;
  }

  /** True if no run answers the load by a write that is not ordered after it. */
  exclude(load: LoggedLoad, { posted, alone }: Version): boolean {
    const { who, stamp, acquires } = load;
    if (acquires === undefined || alone === undefined) return false;
    const { width, place } = acquires;
    const acquired = alone.published.filter(
      (one) => one.got === undefined && includes(width, place, one.by) && includes(one.width, one.by, place),
    );
    if (acquired.length === 0) return false;
    // The network has seen what was posted.
    if (posted !== undefined && snapshotCovers(posted, who, stamp)) return true;
    const witness = this.#witnesses.find(
      (one) =>
        isMadeAfter(one.saw, load) && acquired.some(({ snapshot }) => snapshotCovers(snapshot, one.who, one.stamp)),
    );
    witness?.tells.push(load);
    return witness !== undefined;
  }
}

/** True if who made the write, or had the network make it, did so after the load. */
export function isMadeAfter({ posted, alone }: Version, { who, stamp }: LoggedLoad): boolean {
  const before = posted ?? alone?.before;
  return before !== undefined && snapshotCovers(before, who, stamp);
}
