import { at, WARP_SIZE } from '@nccl-ts/core';
import type { GatheredLanes, ThreadPace } from '@nccl-ts/codegen';
import { Gathering } from './gathering.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/**
 * The possible values of `patience`. The largest lets other CTAs and the network advance by some
 * steps. An unlimited one would take most of the time.
 */
const PATIENCES = [0, 4, 16] as const;

/**
 * The distances between the points at which the straggler stops: every one, every second one, and
 * so on.
 */
const STRIDES = [1, 2, 3, 5] as const;

/** The largest number of such pauses. Data with its own flags consists of such stores. */
const PAUSES = 8;

/**
 * The number of slices of its CTA for which a randomly interrupted thread is held. It is higher if
 * other threads of the machine also lag.
 */
const HOLDS = [1, 1, 2] as const;
const LATE_HOLDS = [4, 8, 16] as const;

/** The largest number of interrupted threads of a CTA. */
const INTERRUPTIONS = 8;

/** The number of further slices of a thread that waits for other lanes: it is not counted down. */
const GATHERED = 2 ** 30;

export interface PaceInit {
  readonly threads: number;
  /** The linear index of the thread that lags behind, or -1. */
  readonly straggler: number;
  /**
   * The number of consecutive slices of its CTA, in which no other thread can continue, that the
   * straggler waits before it runs to its next stop.
   */
  readonly patience: number;
  readonly stride: number;
  /** The number of stops that the straggler skips at first. */
  readonly phase: number;
  /** The number of such slices for which any other interrupted thread is held. */
  readonly hold: number;
  readonly interrupts: Interrupts;
  readonly gathersAt: GathersAt;
}

/** True if lanes of a warp wait for each other at a point. */
export type GathersAt = (point: number) => boolean;

/**
 * True if the thread that reaches the given point is interrupted there. `isAct` is true between a
 * read and the action that depends on it.
 */
export type Interrupts = (point: number, isAct: boolean) => boolean;

/**
 * The pace of a CTA's threads. It decides which of them stop before and after ordered accesses, and
 * for how long. A held thread continues when no other thread of its CTA can, after some such
 * slices.
 */
export class Pace implements ThreadPace {
  /** By thread: the number of further slices for which it is held. */
  readonly left: Int32Array;
  readonly straggler: number;
  readonly #init: PaceInit;
  /** The threads that are held. */
  #held: number[] = [];
  /**
   * The number of slices that may pass without checking the other threads, which only wait for held
   * ones.
   */
  #rest = 0;
  #stops: number;
  #interruptions = 0;
  /** True if the straggler was held alone, rather than with the lanes of its warp. */
  #strayed = false;
  readonly #gathering: Gathering;
  /** By point before an instruction that lanes run together. */
  readonly #acts: boolean[] = [];

  constructor(init: PaceInit) {
    this.#init = init;
    this.left = new Int32Array(init.threads);
    this.straggler = init.straggler;
    this.#stops = -init.phase;
    this.#gathering = new Gathering(init.threads);
    if (this.straggler >= 0) this.ran(this.straggler);
  }

  /**
   * The remaining holds of threads. This state decides how the CTA continues once no thread is
   * interrupted.
   */
  get held(): readonly number[] {
    return [this.#rest, ...this.left];
  }

  /** True if a thread stops at a point before or after an ordered access. */
  stops(thread: number, point: number, isAct: boolean): boolean {
    if (thread === this.straggler && this.#strays()) {
      this.#lag();
      return true;
    }
    if (!this.stopsAll(point, isAct)) return false;
    this.#hold(thread, this.#init.hold);
    return true;
  }

  /** True if all threads stop at a point that they have reached together. */
  stopsAll(point: number, isAct: boolean): boolean {
    if (this.#interruptions === INTERRUPTIONS || !this.#init.interrupts(point, isAct)) return false;
    this.#interruptions++;
    return true;
  }

  /**
   * True if a thread stops before an instruction, because its warp runs that together. It then
   * waits for `regroups`.
   */
  gathers(thread: number, point: number, isAct: boolean): boolean {
    if (!this.#init.gathersAt(point)) return false;
    this.#acts[point] = isAct;
    this.#gathering.arrives(thread, point);
    this.left[thread] = GATHERED;
    return true;
  }

  /**
   * Called when no thread can continue. Returns the lanes that now run an instruction together;
   * null if there are none. They may be held before that, all for the same time.
   */
  regroups(): readonly GatheredLanes[] | null {
    if (!this.#gathering.isOpen) return null;
    const groups = this.#gathering.release((thread) => at(this.left, thread) > 0);
    if (groups.length === 0) return null;
    for (const { point, lanes } of groups) {
      for (const lane of lanes) this.left[lane] = 0;
      const isOwn = lanes.includes(this.straggler);
      const strays = isOwn && this.#strays();
      if (isOwn) this.#strayed = false;
      const { patience, hold } = this.#init;
      const turns = strays ? patience : this.stopsAll(point, this.#acts[point] ?? false) ? hold : 0;
      if (turns > 0) for (const lane of lanes) this.#hold(lane, turns);
    }
    return groups;
  }

  /** Called when a thread has run, so that the straggler lags behind the others again. */
  ran(thread: number): void {
    const { patience, threads } = this.#init;
    if (this.#gathering.has(thread)) return;
    if (thread === this.straggler && patience > 0 && threads > 1) this.#lag();
  }

  /** True if the CTA's slice ends before it has begun. */
  stays(): boolean {
    if (this.#rest === 0) return false;
    this.#rest--;
    this.#pass();
    return true;
  }

  /**
   * Ends a slice in which only held threads could continue. `isAwaited` is true if all others have
   * returned, or only wait for those.
   */
  lags(isAwaited: boolean): void {
    const least = this.#pass();
    this.#rest = isAwaited ? least : 0;
  }

  #lag(): void {
    this.#strayed = true;
    this.#hold(this.straggler, this.#init.patience);
  }

  #hold(thread: number, turns: number): void {
    if (!this.#held.includes(thread)) this.#held.push(thread);
    this.left[thread] = Math.max(this.left[thread] ?? 0, turns);
  }

  /**
   * Subtracts one slice from all held threads; from the straggler only if no other is held, so that
   * it lags behind these too. But lanes that go on together stay together. Returns the smallest
   * number left.
   */
  #pass(): number {
    let least = Number.MAX_SAFE_INTEGER;
    const waitsForOthers = this.#strayed && this.#held.length > 1;
    for (const thread of this.#held) {
      if (thread === this.straggler && waitsForOthers) continue;
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
  /** True if one thread lags behind the others. */
  readonly straggles: boolean;
  readonly interrupts: Interrupts;
  readonly gathersAt: GathersAt;
}

/**
 * Returns the pace of the threads of one CTA. It depends only on the seed, launch and CTA, and on
 * the results of `interrupts`.
 */
export function paceOf({ seed, launch, cta, threads, straggles, interrupts, gathersAt }: PaceOf): Pace {
  const random = Xoshiro128.seeded(seed + 2 ** 32 * ((launch * 4099 + cta) % 2 ** 20));
  const patience = pick(random, PATIENCES);
  const thread = random.below(at(straggling(threads), (Math.floor(seed / 3) + launch + cta) % 3));
  const stride = pick(random, STRIDES);
  const hold = pick(random, straggles ? LATE_HOLDS : HOLDS);
  const phase = random.below(stride);
  return new Pace({
    threads,
    straggler: straggles ? thread : -1,
    patience,
    stride,
    phase,
    hold,
    interrupts,
    gathersAt,
  });
}

/**
 * By turn: the number of threads, from the first on, among which the straggler is. A block often
 * has its first thread prepare what the others use, or its first warp. The turn changes with every
 * third seed, because a portfolio gives this strategy only those.
 */
function straggling(threads: number): readonly number[] {
  return [1, Math.min(WARP_SIZE, threads), threads];
}

function pick<T extends number>(random: Xoshiro128, values: readonly [T, ...T[]]): T {
  return values[random.below(values.length)] ?? values[0];
}
