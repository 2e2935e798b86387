import type { NcclError } from '@nccl-ts/core';
import type { RankMisuse } from '@nccl-ts/transport';
import { shown } from '../describe.ts';
import { invalidArgument } from '../errors.ts';

/**
 * State that a package keeps for a communicator: one object for all ranks of the communicator in
 * this process, through which they learn of each other's calls. The communicator calls its methods
 * when no more calls can come, and throws the error that they return.
 */
export interface Companion {
  /**
   * Called when the host programs of all ranks have ended, or have reached `finalize`. Their
   * launches may still be running.
   *
   * @returns the reason why the launches will never end; undefined if none is known
   */
  atRest(): NcclError | undefined;
  /**
   * Called when all ranks have finalized or closed the communicator, and all its work has ended. It
   * is not called after an abort.
   *
   * @returns an error for unmatched calls
   */
  atEnd(): NcclError | undefined;
}

/**
 * Reports calls of several ranks that do not match, with their ranks in the communicator. A check
 * then includes them. The companion itself throws the error.
 */
export type ReportMisuse = (misuse: RankMisuse) => void;

/**
 * A class of companions. A communicator has at most one of each. `localRanks` are the
 * communicator's ranks in this process. `reportMisuse` is absent if the backend makes no report.
 */
export type CompanionKind<T extends Companion = Companion> = new (
  localRanks: readonly number[],
  reportMisuse?: ReportMisuse,
) => T;

/** The companions of one communicator. */
export class Companions {
  readonly #localRanks: readonly number[];
  readonly #reportMisuse: ReportMisuse | undefined;
  readonly #companions = new Map<CompanionKind, Companion>();
  /** The ranks that have not closed the communicator. */
  #open: number;
  #isAbandoned = false;

  constructor(localRanks: readonly number[], reportMisuse?: ReportMisuse) {
    this.#localRanks = localRanks;
    this.#reportMisuse = reportMisuse;
    this.#open = localRanks.length;
  }

  /** Returns the communicator's companion of that kind. The first call creates it. */
  of<T extends Companion>(kind: CompanionKind<T>): T {
    if (typeof kind !== 'function') throw invalidArgument(`companion: kind must be a class; given ${shown(kind)}.`);
    const found = this.#companions.get(kind);
    if (found instanceof kind) return found;
    const made = new kind(this.#localRanks, this.#reportMisuse);
    this.#companions.set(kind, made);
    return made;
  }

  /** Returns the first reason why pending work never ends. */
  atRest(): NcclError | undefined {
    return this.#first((companion) => companion.atRest());
  }

  /** Returns the first error for unmatched calls. It is reported only once. */
  atEnd(): NcclError | undefined {
    const error = this.#first((companion) => companion.atEnd());
    this.abandon();
    return error;
  }

  /** Like {@link Companions.atEnd}, if this is the last rank to close. */
  close(): NcclError | undefined {
    this.#open--;
    return this.#open === 0 ? this.atEnd() : undefined;
  }

  /** Called when pending work will not be done. Unmatched calls are then no longer an error. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  #first(ask: (companion: Companion) => NcclError | undefined): NcclError | undefined {
    if (this.#isAbandoned) return undefined;
    for (const companion of this.#companions.values()) {
      const error = ask(companion);
      if (error !== undefined) return error;
    }
    return undefined;
  }
}
