/**
 * Receives the reports of traced code: everything that takes time, and the changes for which other
 * CTAs may wait.
 */
export interface CtaTrace {
  /**
   * A load of `bytes` from a region. `ordered` is true if it may find a change that is still on its
   * way.
   */
  loads(thread: number, site: number, address: number, region: number, bytes: number, ordered: boolean): void;
  /** A plain store. */
  stores(thread: number, site: number, region: number, bytes: number): void;
  /**
   * The same before a store of a vector for which a peer may wait. Returns the change for `closes`
   * if it goes to a peer.
   */
  sends(thread: number, site: number, address: number, region: number, bytes: number): TracedAccess | undefined;
  /** A plain access by WebAssembly, which knows the address but not always the region. */
  plain(thread: number, site: number, address: number, bytes: number, isStore: boolean): void;
  /**
   * Called before and after a word changes with an order. `isAnswered` is true if the thread waits
   * for the value before the change; an atomic without that is under way as a store is.
   */
  opens(
    thread: number,
    site: number,
    address: number,
    region: number,
    bytes: number,
    how: TracedAccess['how'],
    isAnswered: boolean,
    releases: ReleaseScope | undefined,
  ): TracedAccess;
  closes(access: TracedAccess): void;
  /**
   * A fence that waits for the thread's earlier stores. `isTogether` is true if all threads of the
   * CTA come to it.
   */
  fence(thread: number, site: number, isTogether: boolean, scope: ReleaseScope): void;
  /** A thread passes a barrier of the CTAs of its cluster. */
  passesCluster(thread: number, site: number): void;
  /** All threads of the CTA synchronize at a site, or those of `members`. */
  meets(site: number, members?: readonly number[]): void;
  /**
   * A wait of a thread, or of all threads for -1, has ended. Its condition read the words at these
   * addresses. `holds` tests the condition.
   */
  waited(thread: number, site: number, addresses: readonly number[], holds: () => boolean): void;
  /**
   * The members of a group have voted in a loop that waits. A thread's vote reads the words at
   * `addresses`, and `votes` votes again. `ends` tests if the votes end the loop, which is the
   * result.
   */
  voted(
    members: readonly number[],
    site: number,
    addresses: (thread: number) => readonly number[],
    votes: (thread: number) => void,
    ends: () => boolean,
  ): boolean;
  /** The CTA has stopped, because it cannot continue or has ended. */
  parked(): void;
  done(): void;
}

/**
 * The scope of a fence or a release that takes time: it waits until stores are seen by the device,
 * or by all of the system. Within a CTA it waits for nothing.
 */
export type ReleaseScope = 'device' | 'system';

/**
 * A change of a word that is in progress. The object is valid until the same CTA starts another
 * change.
 */
export interface TracedAccess {
  /** The word's number among the word histories. */
  readonly word: number;
  /** `add` if other changes may add to the word too, in any order. */
  readonly how: 'store' | 'add' | 'update';
}
