import { Xoshiro128 } from './xoshiro128.ts';

/**
 * The longest lets others, and the network, come some steps further; one that lasted until all of
 * them need it would take most of the time.
 */
const PATIENCES = [0, 4, 16] as const;

/** At which of its stops the straggler stops: at every one, every second one, and so on. */
const STRIDES = [1, 2, 3, 5] as const;

/**
 * How often it does that at most: data that tell by themselves that they have come are stores like
 * these.
 */
const PAUSES = 8;

/**
 * For how many turns of its CTA a thread is held that is interrupted by chance: longer where others
 * of the machine fall behind too.
 */
const HOLDS = [1, 1, 2] as const;
const LATE_HOLDS = [4, 8, 16] as const;

/** How many threads of a CTA are interrupted at most. */
const INTERRUPTIONS = 8;

export interface PaceInit {
  readonly threads: number;
  /** Linear index of the thread that falls behind; -1: none does. */
  readonly straggler: number;
  /**
   * How many turns of its CTA in a row, in which no other thread can go on, the straggler lets pass
   * before it goes on to its next stop.
   */
  readonly patience: number;
  readonly stride: number;
  /** How many of the straggler's first stops it passes. */
  readonly phase: number;
  /** For how many such turns any other thread is held that is interrupted. */
  readonly hold: number;
  readonly interrupts: Interrupts;
}

/**
 * True if who comes to the place of that number is interrupted there; `isAct`: between what it has
 * read and what it does about that.
 */
export type Interrupts = (place: number, isAct: boolean) => boolean;

/**
 * How the threads of a CTA get on: which of them stop before and behind ordered accesses, and for
 * how long. A thread that is held goes on once no other thread of its CTA can, and some such turns
 * have passed.
 */
export class Pace {
  /** By thread: for how many turns more it is held. */
  readonly left: Int32Array;
  readonly straggler: number;
  readonly #init: PaceInit;
  /** The threads that are held. */
  #held: number[] = [];
  /**
   * How many turns may pass without a look at the other threads: they wait for those that are held,
   * and for nothing else.
   */
  #rest = 0;
  #stops: number;
  #interruptions = 0;

  constructor(init: PaceInit) {
    this.#init = init;
    this.left = new Int32Array(init.threads);
    this.straggler = init.straggler;
    this.#stops = -init.phase;
    if (this.straggler >= 0) this.ran(this.straggler);
  }

  /**
   * How long which threads are still held: all of it that decides how the CTA goes on once no
   * thread is interrupted any more.
   */
  get held(): readonly number[] {
    return [this.#rest, ...this.left];
  }

  /** True if a thread stops at a place before or behind an ordered access. */
  stops(thread: number, place: number, isAct: boolean): boolean {
    if (thread === this.straggler && this.#strays()) {
      this.#hold(thread, this.#init.patience);
      return true;
    }
    if (!this.stopsAll(place, isAct)) return false;
    this.#hold(thread, this.#init.hold);
    return true;
  }

  /** True if all threads, which have come to a place together, stop there. */
  stopsAll(place: number, isAct: boolean): boolean {
    if (this.#interruptions === INTERRUPTIONS || !this.#init.interrupts(place, isAct)) return false;
    this.#interruptions++;
    return true;
  }

  /** A thread has had its turn: the straggler falls behind the others again. */
  ran(thread: number): void {
    const { patience, threads } = this.#init;
    if (thread === this.straggler && patience > 0 && threads > 1) this.#hold(thread, patience);
  }

  /** True if the CTA's turn is over before it has begun. */
  stays(): boolean {
    if (this.#rest === 0) return false;
    this.#rest--;
    this.#pass();
    return true;
  }

  /**
   * A turn ends in which only threads could go on that are held. `isAwaited`: all others have
   * returned, or wait for those and for nothing else.
   */
  lags(isAwaited: boolean): void {
    const least = this.#pass();
    this.#rest = isAwaited ? least : 0;
  }

  #hold(thread: number, turns: number): void {
    if (!this.#held.includes(thread)) this.#held.push(thread);
    this.left[thread] = Math.max(this.left[thread] ?? 0, turns);
  }

  /** One turn less for all that are held; answers the fewest that one of them has left. */
  #pass(): number {
    let least = Number.MAX_SAFE_INTEGER;
    for (const thread of this.#held) {
      const left = (this.left[thread] ?? 1) - 1;
      this.left[thread] = left;
      least = Math.min(least, left);
    }
    if (least === 0) this.#held = this.#held.filter((thread) => this.left[thread] !== 0);
    return least;
  }

  #strays(): boolean {
    const { patience, stride } = this.#init;
    if (patience === 0 || this.#stops >= PAUSES * stride) return false;
    return ++this.#stops > 0 && this.#stops % stride === 0;
  }
}

export interface PaceOf {
  readonly seed: number;
  readonly launch: number;
  readonly cta: number;
  readonly threads: number;
  /** True if one thread falls behind the others. */
  readonly straggles: boolean;
  readonly interrupts: Interrupts;
}

/**
 * How the threads of one CTA get on: the same for the same seed, launch and CTA, apart from what
 * `interrupts` answers.
 */
export function paceOf({ seed, launch, cta, threads, straggles, interrupts }: PaceOf): Pace {
  const random = Xoshiro128.seeded(seed + 2 ** 32 * ((launch * 4099 + cta) % 2 ** 20));
  const patience = pick(random, PATIENCES);
  const thread = random.below(threads);
  const stride = pick(random, STRIDES);
  const hold = pick(random, straggles ? LATE_HOLDS : HOLDS);
  const phase = random.below(stride);
  return new Pace({ threads, straggler: straggles ? thread : -1, patience, stride, phase, hold, interrupts });
}

function pick<T extends number>(random: Xoshiro128, values: readonly [T, ...T[]]): T {
  return values[random.below(values.length)] ?? values[0];
}
