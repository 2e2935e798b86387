import {
  after,
  as,
  known,
  modify,
  read,
  write,
  type Access,
  type UpdateFunction,
  type Later,
} from '@nccl-ts/memory-model';
import { LocalMemory } from './local-memory.ts';
import type { AccessLocation } from './access-location.ts';
import type { Steps } from './steps.ts';
import type { ThreadContext } from './surroundings.ts';
import type { ThreadCopies } from './thread-copies.ts';

/**
 * The memory that a thread accesses: its own arrays, and the memory of all agents. While the thread
 * makes a bulk copy, the accesses belong to the copy's agents.
 */
export class ThreadMemory {
  /** The thread's own arrays. */
  readonly own: LocalMemory = new LocalMemory();
  readonly #copies: ThreadCopies;
  readonly #delivered: ThreadContext['delivered'];

  constructor(copies: ThreadCopies, delivered: ThreadContext['delivered']) {
    this.#copies = copies;
    this.#delivered = delivered;
  }

  *load(spot: AccessLocation, access: Access | undefined, site: number): Steps<Later<bigint>> {
    if (spot.isLocal) return this.own.load(spot.at, spot.bytes);
    return yield* by(this.#copies.reader, read(spot, access, site));
  }

  *store(spot: AccessLocation, access: Access | undefined, site: number, bits: Later<bigint>): Steps<void> {
    if (spot.isLocal) this.own.store(spot.at, spot.bytes, bits);
    else yield* by(this.#copies.writer, write(spot, yield* this.#delivering(spot, access), site, bits));
  }

  /** The access of a write, with the puts and the launches that are over before it. */
  *#delivering<A extends Access | undefined>(spot: AccessLocation, access: A): Steps<A> {
    if (access === undefined) return access;
    const delivers = yield* this.#delivered(spot.at);
    return delivers.length === 0 ? access : { ...access, delivers };
  }

  /** @see modify */
  *modify(
    spot: AccessLocation,
    access: Access,
    site: number,
    change: Later<UpdateFunction>,
    always: boolean,
  ): Steps<Later<bigint>> {
    if (!spot.isLocal) {
      const delivering = yield* this.#delivering(spot, access);
      return yield* by(this.#copies.completer ?? this.#copies.writer, modify(spot, delivering, site, change, always));
    }
    const old = this.own.load(spot.at, spot.bytes);
    const bits = after([old, change], () => known(change)(known(old)) ?? known(old));
    this.own.store(spot.at, spot.bytes, bits);
    return old;
  }
}

/** Makes a request as the thread itself, or as an agent that it has opened. */
function by<T>(agent: number | undefined, requested: Steps<T>): Steps<T> {
  return agent === undefined ? requested : as(agent, requested);
}
