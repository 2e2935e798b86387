import { CachedLoads } from './cached-loads.ts';
import { newest, together, type Published } from './published.ts';
import type { Snapshot } from './snapshot.ts';
import { ThreadClocks } from './thread-clocks.ts';

/** The events that GPUs order before those of the threads of a group, beyond the memory model. */
export class HardwareClocks {
  /**
   * By thread: loads that finished before a write that the thread has seen by a volatile load or in
   * a wait.
   */
  readonly over: ThreadClocks = new ThreadClocks();
  /**
   * By thread: the events that precede its later strong loads, because an atomic has read a strong
   * write and the thread decided by its value.
   */
  readonly decided: ThreadClocks = new ThreadClocks();
  readonly cached: CachedLoads = new CachedLoads();
  /** By thread: the end of the earlier launches for which it has waited. */
  readonly launches: (Snapshot | undefined)[] = [];

  /** By thread: what others have published and the thread has acquired. */
  readonly #acquired: (readonly Published[])[] = [];

  /**
   * Records that the thread has acquired what others have published. It is visible in the scope of
   * its release since then, so a later strong write of the thread passes it on without a release.
   */
  acquires(thread: number, published: Published): void {
    // The network settles its writes for the thread alone.
    if (published.got === undefined) this.#acquired[thread] = newest([published], this.acquired(thread));
  }

  acquired(thread: number): readonly Published[] {
    return this.#acquired[thread] ?? [];
  }

  /** Lets each of these threads know what all of them have learned. */
  share(members: readonly number[]): void {
    this.over.share(members);
    this.decided.share(members);
    const acquired = together([...new Set(members.flatMap((t) => this.acquired(t)))]);
    if (acquired.length > 0) for (const t of members) this.#acquired[t] = acquired;
  }
}
