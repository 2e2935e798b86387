import type { RunnableCta } from './scheduler.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/** How rarely threads of a larger program are interrupted. Seeds take these values in turn. */
const SCARCITIES = [1, 2, 1, 8] as const;

/**
 * A program is small until its threads have reached this many points. Each further multiple makes
 * interruptions rarer by one.
 */
const SMALL = 24;

/**
 * The number of threads that are interrupted, of each `of` threads that reach a point first:
 * between a check and the action that follows it, and elsewhere.
 */
const CHANCES = { act: 14, other: 3, of: 16 } as const;

/** With every third seed, only one thread is interrupted at a time. */
const ALONE = 3;

/** The largest number of interrupted threads in a schedule, for each change that it may have. */
const MOST = 64;

/**
 * Decides at random if a thread is interrupted at a point before or after an ordered access. The
 * more often threads have reached the point, the less likely this is. So each point has a chance,
 * even after long loops, and there are few interruptions in total.
 *
 * If threads are interrupted one at a time, no other thread is interrupted until the CTA of the
 * first runs again. The others run as far as they can.
 */
export class Interruptions {
  readonly #random: Xoshiro128;
  readonly #scarcity: number;
  readonly #isAlone: boolean;
  #left: number;
  #places = 0;
  #now: Pick<RunnableCta, 'launch' | 'cta'> | undefined;
  /** The thread that was interrupted and has not run since, if it prevents other interruptions. */
  #held: Pick<RunnableCta, 'launch' | 'cta'> | undefined;

  /** `changes` is the number of changes that the schedule may have. */
  constructor(seed: number, changes: number) {
    // A different random sequence from that of the turns.
    this.#random = Xoshiro128.seeded(seed + 2 ** 52);
    this.#scarcity = SCARCITIES[Math.floor(seed / 2) % SCARCITIES.length] ?? 1;
    this.#isAlone = seed % ALONE === 0;
    this.#left = MOST * changes;
  }

  /** Called with the CTA that runs next. */
  turn(task: Pick<RunnableCta, 'launch' | 'cta'>): void {
    const held = this.#held;
    if (held?.launch === task.launch && held.cta === task.cta) this.#held = undefined;
    this.#now = task;
  }

  /**
   * Decides for the n-th thread to reach a point, counted from 1. `isAct` is true between a read
   * and the action that depends on it.
   */
  interrupts(number: number, isAct: boolean): boolean {
    if (this.#left === 0 || this.#held !== undefined) return false;
    const scarcity = Math.max(1, Math.min(this.#scarcity, Math.floor(++this.#places / SMALL)));
    const chance = isAct ? CHANCES.act : CHANCES.other;
    if (this.#random.below(CHANCES.of * number * scarcity) >= chance) return false;
    this.#left--;
    if (this.#isAlone) this.#held = this.#now;
    return true;
  }
}
