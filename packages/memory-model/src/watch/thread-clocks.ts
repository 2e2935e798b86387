import { Clock, type Who } from './clock.ts';
import { joinSnapshot, type Snapshot } from './snapshot.ts';

/** Events that single threads of a group have learned of, apart from the memory model. */
export class ThreadClocks {
  /** By thread. Threads that have shared what they know have the same clock. */
  readonly #clocks: (Clock | undefined)[] = [];

  /** The events that the thread has learned of. The clock no longer changes. */
  of(thread: number): Clock | undefined {
    const known = this.#clocks[thread];
    if (known !== undefined) known.shared = true;
    return known;
  }

  /** The clocks of all threads. */
  get all(): ReadonlySet<Clock> {
    return new Set(this.#clocks.filter((clock) => clock !== undefined));
  }

  learns(thread: number, events: Snapshot): void {
    const known = this.#clocks[thread];
    const own = known === undefined ? new Clock(0) : known.shared ? known.clone() : known;
    joinSnapshot(own, events);
    this.#clocks[thread] = own;
  }

  covers(thread: number, who: Who, stamp: number): boolean {
    return this.#clocks[thread]?.covers(who, stamp) === true;
  }

  /** Lets each of these threads know what all of them have learned. */
  share(members: readonly number[]): void {
    const known = new Set(members.flatMap((t) => this.#clocks[t] ?? []));
    if (known.size === 0) return;
    const all = new Clock(0);
    for (const one of known) all.join(one);
    all.shared = true;
    for (const t of members) this.#clocks[t] = all;
  }
}
