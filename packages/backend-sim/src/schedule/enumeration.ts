import { NcclError } from '@nccl-ts/core';
import type { Delivery, Moment, Scheduler, Task } from './scheduler.ts';

/** A choice that was made: which of how many. */
interface Choice {
  taken: number;
  readonly of: number;
}

/**
 * All runs there are, one after another, depth first: the scheduler of each run makes the choices
 * of the run before up to the last that could still be made otherwise, and there the next one.
 *
 * A run that comes to a state that a run before it was in goes no further: what can follow was gone
 * through.
 *
 * What runs must be the same each time, apart from what the scheduler chooses.
 */
export class Enumeration {
  readonly #choices: Choice[] = [];
  #next = 0;
  /** The choices that are made again as in the run before. */
  #fixed = 0;
  #ended = false;
  readonly #states = new Set<string>();
  #runs = 0;
  readonly #lsaTeam: (rank: number) => number;

  /** `lsaTeam` says which ranks see each other's memory. */
  constructor(lsaTeam: (rank: number) => number) {
    this.#lsaTeam = lsaTeam;
  }

  /** How many runs have begun. */
  get runs(): number {
    return this.#runs;
  }

  /**
   * True if the present run went no further, because all that can follow was gone through before.
   */
  get ended(): boolean {
    return this.#ended;
  }

  /** The scheduler of the next run; `undefined` where there is none any more. */
  begin(): Scheduler | undefined {
    if (this.#runs > 0 && !this.#advance()) return undefined;
    this.#runs++;
    this.#next = 0;
    this.#fixed = this.#choices.length;
    this.#ended = false;
    return {
      newExecution: () => {},
      wasHere: (state: () => string) => this.#wasHere(state),
      nextTask: (round: readonly Task[], first: number) => first + this.#choose(round.length - first),
      nextDelivery: (ready: readonly Delivery[], must: boolean, moment: Moment) => this.#deliver(ready, must, moment),
      nextU64: () => 0n,
    };
  }

  /**
   * Of two things in a row that have nothing to do with each other, only one order is gone through;
   * and in the middle of a turn nothing is done that the CTA whose turn it is could not see.
   */
  #deliver(ready: readonly Delivery[], must: boolean, { after, during }: Moment): number {
    const fresh = ready.filter(
      (one) =>
        (after === undefined || one.order > after.order || touch(one, after)) &&
        (during === undefined || one.ranks.some((rank) => this.#lsaTeam(rank) === this.#lsaTeam(during))),
    );
    const candidates = must && fresh.length === 0 ? ready : fresh;
    // The first choice, where there is one, is to do nothing yet.
    const choice = must ? this.#choose(candidates.length) : this.#choose(candidates.length + 1) - 1;
    const chosen = candidates[choice];
    return chosen === undefined ? -1 : ready.indexOf(chosen);
  }

  #wasHere(state: () => string): boolean {
    if (this.#next < this.#fixed) return false;
    const text = state();
    this.#ended = this.#states.has(text);
    this.#states.add(text);
    return this.#ended;
  }

  #advance(): boolean {
    for (let last = this.#choices.at(-1); last !== undefined; last = this.#choices.at(-1)) {
      if (last.taken + 1 < last.of) {
        last.taken++;
        return true;
      }
      this.#choices.pop();
    }
    return false;
  }

  #choose(of: number): number {
    if (of === 1) return 0;
    const index = this.#next++;
    const known = this.#choices[index];
    if (known === undefined) {
      this.#choices.push({ taken: 0, of });
      return 0;
    }
    if (known.of !== of) {
      throw new NcclError(
        'NCCL_INTERNAL_ERROR',
        `A run did not repeat what the run before it did: ${of} choices where there were ${known.of}.`,
      );
    }
    return known.taken;
  }
}

function touch(a: Delivery, b: Delivery): boolean {
  return (a.writes || b.writes) && a.low < b.high && b.low < a.high;
}
