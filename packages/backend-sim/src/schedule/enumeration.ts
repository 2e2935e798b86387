import { NcclError } from '@nccl-ts/core';
import type { Delivery, Moment, Scheduler, RunnableCta } from './scheduler.ts';

/** A choice that was made: which alternative, and out of how many. */
interface Choice {
  taken: number;
  readonly of: number;
}

/**
 * All possible runs, one after another, depth first. The scheduler of each run repeats the previous
 * run's choices up to the last one that has an alternative, and takes the alternative.
 *
 * A run stops when it reaches a state of an earlier run, whose continuations were explored.
 *
 * Runs must be deterministic apart from the scheduler's choices.
 */
export class Enumeration {
  readonly #choices: Choice[] = [];
  #next = 0;
  /** The choices that are repeated from the previous run. */
  #fixed = 0;
  #ended = false;
  readonly #states = new Set<string>();
  #runs = 0;
  readonly #lsaTeam: (rank: number) => number;

  /** `lsaTeam` returns the ranks that share memory. */
  constructor(lsaTeam: (rank: number) => number) {
    this.#lsaTeam = lsaTeam;
  }

  /** Returns the number of runs that have begun. */
  get runs(): number {
    return this.#runs;
  }

  /** True if the current run has stopped, because all its continuations were explored before. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Returns the scheduler of the next run; `undefined` if there are no more. */
  begin(): Scheduler | undefined {
    if (this.#runs > 0 && !this.#advance()) return undefined;
    this.#runs++;
    this.#next = 0;
    this.#fixed = this.#choices.length;
    this.#ended = false;
    return {
      isExhaustive: true,
      newExecution: () => {},
      wasHere: (state: () => string) => this.#wasHere(state),
      nextTask: (round: readonly RunnableCta[], first: number) => first + this.#choose(round.length - first),
      choose: (count: number) => this.#choose(count),
      nextDelivery: (ready: readonly Delivery[], must: boolean, moment: Moment) => this.#deliver(ready, must, moment),
      nextU64: () => 0n,
    };
  }

  /**
   * Explores only one order of two consecutive steps that do not affect each other. During a CTA's
   * slice, it considers only steps that this CTA could observe.
   */
  #deliver(ready: readonly Delivery[], must: boolean, { after, during }: Moment): number {
    const fresh = ready.filter(
      (one) =>
        (after === undefined || one.order > after.order || touch(one, after)) &&
        (during === undefined || one.ranks.some((rank) => this.#lsaTeam(rank) === this.#lsaTeam(during))),
    );
    const candidates = must && fresh.length === 0 ? ready : fresh;
    // The first choice, if there is one, is to do nothing yet.
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
        `A run did not repeat the previous one: ${of} choices instead of ${known.of}.`,
      );
    }
    return known.taken;
  }
}

function touch(a: Delivery, b: Delivery): boolean {
  return (a.writes || b.writes) && a.low < b.high && b.low < a.high;
}
