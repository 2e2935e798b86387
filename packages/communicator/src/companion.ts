import type { NcclError } from '@nccl-ts/core';
import type { RankMisuse } from '@nccl-ts/transport';
import { shown } from './describe.ts';
import { invalidArgument } from './errors.ts';

/**
 * What a package above keeps beside a communicator: one for all ranks that the communicator has in
 * this process, through which these learn of each other. The communicator asks it when nothing more
 * can come, and throws what it answers.
 */
export interface Companion {
  /**
   * The host programs of all ranks are over, or have come to `finalize`, and what they launched may
   * still be under way.
   *
   * @returns why that will never end; undefined where it will, as far as is known here.
   */
  atRest(): NcclError | undefined;
  /**
   * All ranks have finalized or closed the communicator, and nothing of it is under way. Not asked
   * where something was aborted.
   *
   * @returns what was left undone.
   */
  atEnd(): NcclError | undefined;
}

/**
 * Tells of calls of several ranks that do not go together, by their ranks in the communicator. A
 * check then reports them, whatever becomes of the error, which the companion throws itself.
 */
export type TellMisuse = (misuse: RankMisuse) => void;

/**
 * A class of companions, of which a communicator has one at most. `localRanks` are the
 * communicator's ranks in this process; `tell` is absent where the backend reports nothing.
 */
export type CompanionKind<T extends Companion = Companion> = new (
  localRanks: readonly number[],
  tell?: TellMisuse,
) => T;

/** The companions of one communicator. */
export class Companions {
  readonly #localRanks: readonly number[];
  readonly #tell: TellMisuse | undefined;
  readonly #kept = new Map<CompanionKind, Companion>();
  /** Ranks that have not closed the communicator. */
  #open: number;
  #isAbandoned = false;

  constructor(localRanks: readonly number[], tell?: TellMisuse) {
    this.#localRanks = localRanks;
    this.#tell = tell;
    this.#open = localRanks.length;
  }

  /** The communicator's companion of that kind, made by whoever asks first. */
  of<T extends Companion>(kind: CompanionKind<T>): T {
    if (typeof kind !== 'function') throw invalidArgument(`companion: kind must be a class; given ${shown(kind)}.`);
    const found = this.#kept.get(kind);
    if (found instanceof kind) return found;
    const made = new kind(this.#localRanks, this.#tell);
    this.#kept.set(kind, made);
    return made;
  }

  /** The first reason why what is under way never ends. */
  atRest(): NcclError | undefined {
    return this.#first((companion) => companion.atRest());
  }

  /** The first thing that was left undone; nobody is told of it again. */
  atEnd(): NcclError | undefined {
    const error = this.#first((companion) => companion.atEnd());
    this.abandon();
    return error;
  }

  /** As {@link Companions.atEnd}, where the rank that has closed is the last. */
  close(): NcclError | undefined {
    this.#open--;
    return this.#open === 0 ? this.atEnd() : undefined;
  }

  /** What was begun will not be done: that something is missing is no mistake any more. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  #first(ask: (companion: Companion) => NcclError | undefined): NcclError | undefined {
    if (this.#isAbandoned) return undefined;
    for (const companion of this.#kept.values()) {
      const error = ask(companion);
      if (error !== undefined) return error;
    }
    return undefined;
  }
}
