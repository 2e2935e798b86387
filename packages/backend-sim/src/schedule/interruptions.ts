import type { Task } from './scheduler.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/**
 * By seed, two after the other: how seldom threads are interrupted once the program is no small
 * one.
 */
const SCARCITIES = [1, 2, 1, 8] as const;

/**
 * A program is small until its threads have come to this many places; by so many more it gets
 * scarcer by one.
 */
const SMALL = 24;

/**
 * Of so many that come to a place first, so many are interrupted: between a check and its act, and
 * elsewhere.
 */
const CHANCES = { act: 14, other: 3, of: 16 } as const;

/** With every third seed one is interrupted at a time. */
const ALONE = 3;

/** How many threads are interrupted in a schedule at most, for each change that it may have. */
const MOST = 64;

/**
 * True if a thread is interrupted at a place before or behind an ordered access: by chance, and the
 * less likely the more often threads have come to that place. So each place has its chance, however
 * long the loops before it are, and there are few in all.
 *
 * Where one is interrupted at a time, nobody else is before its CTA has its next turn: the others
 * go as far as they can.
 */
export class Interruptions {
  readonly #random: Xoshiro128;
  readonly #scarcity: number;
  readonly #isAlone: boolean;
  #left: number;
  #places = 0;
  #now: Pick<Task, 'launch' | 'cta'> | undefined;
  /** Who was interrupted and has had no turn since, where that keeps others from being so. */
  #held: Pick<Task, 'launch' | 'cta'> | undefined;

  /** `changes`: how many changes the schedule may have. */
  constructor(seed: number, changes: number) {
    // Another sequence than that of the turns.
    this.#random = Xoshiro128.seeded(seed + 2 ** 52);
    this.#scarcity = SCARCITIES[Math.floor(seed / 2) % SCARCITIES.length] ?? 1;
    this.#isAlone = seed % ALONE === 0;
    this.#left = MOST * changes;
  }

  /** Whose turn begins. */
  turn(task: Pick<Task, 'launch' | 'cta'>): void {
    const held = this.#held;
    if (held?.launch === task.launch && held.cta === task.cta) this.#held = undefined;
    this.#now = task;
  }

  /**
   * Of who comes to a place as the one of that number, from 1; `isAct`: between what it has read
   * and what it does about that.
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
