import { KeySelection } from './bounds.ts';
import { agentOf, whoIs, type Clock, type Who } from './clock.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { LoggedRead } from './word-log.ts';

/**
 * The waits that threads have passed. In clocks, a second agent of each group represents them. Its
 * events are those waits, and its readers are added later.
 */
export class PassedWaits {
  /** By agent: that second agent. It is added at the agent's first wait. */
  readonly #waiters = new Map<number, number>();
  readonly #isWaiter = new Set<number>();
  readonly #ofWaiters = new KeySelection((who) => this.#isWaiter.has(agentOf(who)));
  /** By thread of such an agent: the number of waits that it has passed. */
  readonly #counts = new Map<Who, number>();

  /** The waits that a thread's next event depends on. */
  before(group: GroupClocks, thread: number): Clock {
    return group.known(thread, this.#ofWaiters);
  }

  /** Records that a thread passes a wait. `addAgent` makes agents without events. */
  pass(group: GroupClocks, thread: number, addAgent: () => number): LoggedRead {
    let waiter = this.#waiters.get(group.agent);
    if (waiter === undefined) {
      waiter = addAgent();
      this.#waiters.set(group.agent, waiter);
      this.#isWaiter.add(waiter);
    }
    const who = whoIs(waiter, thread);
    const stamp = this.#counts.get(who) ?? 0;
    this.#counts.set(who, stamp + 1);
    group.knows(thread, who, stamp + 1);
    return { who, stamp };
  }
}
