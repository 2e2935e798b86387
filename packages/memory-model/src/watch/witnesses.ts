import { includes, type ThreadCoordinates, type ScopeWidth } from '../scope.ts';
import { whoIs, type Who } from './clock.ts';
import { snapshotCovers } from './snapshot.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { LoggedRead, Version } from './word-log.ts';

/** A strong load. */
export interface LoggedLoad extends LoggedRead {
  /** The scope in which it acquires. Absent if it does not acquire. */
  readonly acquires: { readonly width: ScopeWidth; readonly coordinates: ThreadCoordinates } | undefined;
  /**
   * The source locations at which the loaded value may leave the thread. Absent if it may leave in
   * other ways too.
   */
  readonly usedAt: ReadonlySet<number> | undefined;
  /** True if the thread has reached one of them since. */
  isUsed: boolean;
  /** True if it may read any of several writes. */
  isOpen: boolean;
}

/** A wait that sees a write in every run. */
export interface Witness extends LoggedRead {
  readonly saw: Version;
  /** The loads that it proves to precede that write. */
  readonly precedingLoads: LoggedLoad[];
}

/*
 * Suppose a thread loads a word, and then writes a flag. Another thread waits for the flag and then
 * writes the word. In the model loads may be late, so the load may read that write if nothing
 * releases it. It cannot if the load acquires and the write releases. The wait would then precede
 * the flag that it waits for, and no event reads a write that it precedes.
 */

/**
 * Records which waits have seen which writes. Each wait is a separate agent. Events are ordered
 * after it only by releases and acquires.
 */
export class Witnesses {
  readonly #agents = new Map<number, number>();
  readonly #counts = new Map<Who, number>();
  readonly #witnesses: Witness[] = [];

  /** Records that `taken` satisfies a thread's wait. `addAgent` makes agents without events. */
  pass(
    group: GroupClocks,
    thread: number,
    taken: readonly Version[],
    acquires: ScopeWidth | undefined,
    addAgent: () => number,
  ): readonly Witness[] {
    // A wait may see additions of others through later additions. They then order only the events
    // that the network releases at system scope.
    const seen = taken.filter(({ posted, kind }) => (posted === undefined ? kind === 'store' : acquires === 4));
    if (seen.length === 0) return [];
    const agent = this.#agents.get(group.agent) ?? addAgent();
    this.#agents.set(group.agent, agent);
    const who = whoIs(agent, thread);
    const stamp = this.#counts.get(who) ?? 0;
    this.#counts.set(who, stamp + 1);
    group.knows(thread, who, stamp + 1);
    const witnesses = seen.map((saw) => ({ who, stamp, saw, precedingLoads: [] }));
    this.#witnesses.push(...witnesses);
    return witnesses;
  }

  /** True if the load cannot read this version in any run. */
  exclude(load: LoggedLoad, { posted, alone }: Version): boolean {
    const { who, stamp, acquires } = load;
    if (acquires === undefined || alone === undefined) return false;
    const { width, coordinates } = acquires;
    const acquired = alone.published.filter(
      (one) =>
        one.got === undefined && includes(width, coordinates, one.by) && includes(one.width, one.by, coordinates),
    );
    if (acquired.length === 0) return false;
    // The network has seen everything before the request was posted.
    if (posted !== undefined && snapshotCovers(posted, who, stamp)) return true;
    const witness = this.#witnesses.find(
      (one) =>
        isMadeAfter(one.saw, load) && acquired.some(({ snapshot }) => snapshotCovers(snapshot, one.who, one.stamp)),
    );
    witness?.precedingLoads.push(load);
    return witness !== undefined;
  }
}

/** True if the write comes after the load. A thread makes it, or has the network make it. */
export function isMadeAfter({ posted, alone }: Version, { who, stamp }: LoggedLoad): boolean {
  const before = posted ?? alone?.before;
  return before !== undefined && snapshotCovers(before, who, stamp);
}
