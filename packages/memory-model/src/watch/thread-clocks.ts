import { Clock, type Who } from './clock.ts';
import { joinSnapshot, type Snapshot } from './snapshot.ts';

/** Events that single threads of a group have learned of, apart from the memory model. */
export class ThreadClocks {
  /** By thread. Threads that have shared a clock have the same one. */
  readonly #clocks: (Clock | undefined)[] = [];

  of(thread: number): Clock | undefined {
    return this.#clocks[thread];
  }

  learns(thread: number, events: Snapshot): void {
    const known = this.#clocks[thread]?.clone() ?? new Clock(0);
    joinSnapshot(known, events);
    this.#clocks[thread] = known;
  }

  covers(thread: number, who: Who, stamp: number): boolean {
    return this.#clocks[thread]?.covers(who, stamp) === true;
  }

  /** Lets each of these threads know what all of them have learned. */
  share(members: readonly number[]): void {
    const all = new Clock(0);
    const seen = new Set<Clock>();
    for (const t of members) {
      const known = this.#clocks[t];
      if (known === undefined || seen.has(known)) continue;
      seen.add(known);
      all.join(known);
    }
    if (seen.size > 0) for (const t of members) this.#clocks[t] = all;
  }
}
