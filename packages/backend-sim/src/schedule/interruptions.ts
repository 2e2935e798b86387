import type { Task } from './scheduler.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/** By seed, in turn: how rarely threads of a larger program are interrupted. */
const SCARCITIES = [1, 2, 1, 8] as const;

/**
 * A program is small until its threads have reached this many points; each further multiple makes
 * interruptions rarer by one.
 */
const SMALL = 24;

/**
 * The number of threads that are interrupted, of each `of` that reach a point first: between a
 * check and its act, and elsewhere.
 */
const CHANCES = { act: 14, other: 3, of: 16 } as const;

/** With every third seed, one thread is interrupted at a time. */
const ALONE = 3;

/** The largest number of interrupted threads in a schedule, for each change that it may have. */
const MOST = 64;

/**
 * True if a thread is interrupted at a point before or after an ordered access: at random, and less
 * likely the more often threads have reached that point. So each point has a chance, after loops of
 * any length, and there are few in all.
 *
 * If one is interrupted at a time, no other is until its CTA runs again: the others go as far as
 * they can.
 */
export class Interruptions {
  readonly #random: Xoshiro128;
  readonly #scarcity: number;
  readonly #isAlone: boolean;
  #left: number;
  #places = 0;
  #now: Pick<Task, 'launch' | 'cta'> | undefined;
  /** The thread that was interrupted and has not run since, if it prevents other interruptions. */
  #held: Pick<Task, 'launch' | 'cta'> | undefined;

  /** `changes`: how many changes the schedule may have. */
  constructor(seed: number, changes: number) {
    // Another sequence than that of the turns.
    this.#random = Xoshiro128.seeded(seed + 2 ** 52);
    this.#scarcity = SCARCITIES[Math.floor(seed / 2) % SCARCITIES.length] ?? 1;
    this.#isAlone = seed % ALONE === 0;
    this.#left = MOST * changes;
  }

  /** The CTA that runs next. */
  turn(task: Pick<Task, 'launch' | 'cta'>): void {
    const held = this.#held;
    if (held?.launch === task.launch && held.cta === task.cta) this.#held = undefined;
    this.#now = task;
  }

  /**
   * Decides for the thread that is the given one to reach a point, from 1; `isAct`: between a read
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
