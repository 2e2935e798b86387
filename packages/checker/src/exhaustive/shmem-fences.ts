import { Deferred, eventsBefore, join, use, type EventsBefore, type GraphEvent, type Run } from '@nccl-ts/memory-model';
import type { Steps } from './steps.ts';

/** A put of NVSHMEM, with the agents that make it. */
interface Put {
  /** The last event of the posting thread before the post. */
  readonly event: GraphEvent;
  readonly rank: number;
  readonly peer: number;
  readonly agents: readonly number[];
}

/** A fence of NVSHMEM, with the agents of the puts that it orders, by target rank. */
interface ShmemFence {
  readonly event: GraphEvent;
  readonly rank: number;
  readonly arrived: ReadonlyMap<number, readonly number[]>;
}

/**
 * The fences of NVSHMEM in one execution. A fence orders the earlier puts of a rank to each rank
 * before its later operations there. It orders nothing before the fencing thread itself.
 */
export class ShmemFences {
  readonly #run: Run;
  readonly #puts: Put[] = [];
  readonly #fences: ShmemFence[] = [];

  constructor(run: Run) {
    this.#run = run;
  }

  /** True if there was a fence. */
  get isUsed(): boolean {
    return this.#fences.length > 0;
  }

  /** Records a put that the thread `self` has posted. */
  posted(self: number, put: Omit<Put, 'event'>): void {
    this.#puts.push({ ...put, event: this.#last(self) });
  }

  *fence(self: number, rank: number): Steps<void> {
    const earlier = yield* this.#before(self);
    const arrived = new Map<number, readonly number[]>();
    for (const put of this.#puts) {
      if (put.rank !== rank || !earlier.has(put.event)) continue;
      arrived.set(put.peer, [...(arrived.get(put.peer) ?? []), ...put.agents]);
    }
    // The thread only waits for them, because a put takes effect in every execution.
    yield* join([...arrived.values()].flat(), 'fence of NVSHMEM', false);
    this.#fences.push({ event: this.#last(self), rank, arrived });
  }

  /**
   * The agents of the puts that arrive before the next operation of the thread `self` at `peer`.
   */
  *delivered(self: number, rank: number, peer: number): Steps<readonly number[]> {
    if (!this.#fences.some((one) => one.rank === rank && one.arrived.has(peer))) return [];
    const earlier = yield* this.#before(self);
    const known = this.#fences.filter((one) => one.rank === rank && earlier.has(one.event));
    return [...new Set(known.flatMap(({ arrived }) => arrived.get(peer) ?? []))];
  }

  /** The events before the thread's last one, with the strong reads among them decided. */
  *#before(self: number): Steps<EventsBefore> {
    for (;;) {
      const earlier = eventsBefore(this.#run, [this.#last(self)]);
      const undecided = earlier.open.filter(({ event }) => event.access !== undefined);
      if (undecided.length === 0) return earlier;
      for (const { token } of undecided) yield* use(new Deferred([token], () => token.value));
    }
  }

  #last(agent: number): GraphEvent {
    const event = this.#run.graph.eventsOf(agent).at(-1);
    if (event === undefined) throw new RangeError(`Agent ${agent} has no events.`);
    return event;
  }
}
