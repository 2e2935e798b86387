import type { BackendWorld, RankGroup } from '@nccl-ts/transport';
import type { Lifecycle } from '../world/lifecycle.ts';
import { Meeting } from './meeting.ts';

/** The ranks and the backend for the work of a collective call. */
export interface CollectiveContext {
  readonly device: BackendWorld;
  readonly lifecycle: Lifecycle;
  /** The ranks of the call; undefined for all ranks of the world. */
  readonly handle: RankGroup | undefined;
}

/**
 * A kind of collective call. `act` does the work once for all ranks, when all of them have arrived.
 */
export class Collective<C, R> {
  readonly name: string;
  readonly act: (contributions: readonly C[]) => Promise<R>;
  readonly #meetings = new Map<number, Meeting<C, R>>();

  constructor(name: string, act: (contributions: readonly C[]) => Promise<R>) {
    this.name = name;
    this.act = act;
  }

  /** Returns the meeting at `position`, or a new one if there is none. */
  meetingAt(position: number): Meeting<C, R> {
    let meeting = this.#meetings.get(position);
    if (meeting === undefined) {
      meeting = new Meeting<C, R>(this.name, position);
      this.#meetings.set(position, meeting);
    }
    return meeting;
  }

  forget(position: number): void {
    this.#meetings.delete(position);
  }
}

/** A kind of collective call, of which each place has its own. It is created on first use. */
export class CollectiveKind<P extends object, C, R> {
  readonly #make: (place: P) => Collective<C, R>;
  readonly #made = new WeakMap<P, Collective<C, R>>();

  constructor(make: (place: P) => Collective<C, R>) {
    this.#make = make;
  }

  at(place: P): Collective<C, R> {
    let made = this.#made.get(place);
    if (made === undefined) {
      made = this.#make(place);
      this.#made.set(place, made);
    }
    return made;
  }
}
