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
  /** By thread: the end of the earlier launches for which it has waited. */
  readonly launches: (Snapshot | undefined)[] = [];

  /** Lets each of these threads know what all of them have learned. */
  share(members: readonly number[]): void {
    this.over.share(members);
    this.decided.share(members);
  }
}
