import { includes, type Place, type ScopeWidth } from '../scope.ts';
import { whoIs, type Who } from './clock.ts';
import { snapshotCovers } from './snapshot.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { LoggedRead, Version } from './word-log.ts';

/** A strong load. */
export interface LoggedLoad extends LoggedRead {
  /** The scope from which it acquires; absent: it does not acquire. */
  readonly acquires: { readonly width: ScopeWidth; readonly place: Place } | undefined;
  /**
   * The source positions through which the loaded value may leave the thread; absent: in another
   * way too.
   */
  readonly usedAt: ReadonlySet<number> | undefined;
  /** True if the thread has reached one of them since. */
  isUsed: boolean;
  /** True if it may read any of several writes. */
  isOpen: boolean;
}

/** A wait that has seen a write, in every run. */
export interface Witness extends LoggedRead {
  readonly saw: Version;
  /** Loads that it proves to be before that write. */
  readonly tells: LoggedLoad[];
}

/*
 * A thread loads, and then writes what another thread waits for, before that thread writes the
 * loaded word. By the model, loads may be late, so the load may read that write if nothing releases
 * it. Not if it acquires and the write releases: the wait would then be ordered before what it has
 * waited for, and no write is read by what comes before it.
 */

/**
 * Records which waits have seen which writes: each as an agent of its own, which is known to
 * everything ordered after it by releases and acquires and by nothing else.
 */
export class Witnesses {
  readonly #agents = new Map<number, number>();
  readonly #counts = new Map<Who, number>();
  readonly #witnesses: Witness[] = [];

  /** Records that a thread passes a wait by `taken`. `addAgent` makes agents without events. */
  pass(
    group: GroupClocks,
    thread: number,
    taken: readonly Version[],
    acquires: ScopeWidth | undefined,
    addAgent: () => number,
  ): readonly Witness[] {
    // Additions of others are seen through later additions, and then order only the events that the
    // network releases, at system scope.
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

  /** True if in no run the load reads a write that is not ordered after it. */
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

/** True if the thread that made the write, or had the network make it, did so after the load. */
export function isMadeAfter({ posted, alone }: Version, { who, stamp }: LoggedLoad): boolean {
  const before = posted ?? alone?.before;
  return before !== undefined && snapshotCovers(before, who, stamp);
}
