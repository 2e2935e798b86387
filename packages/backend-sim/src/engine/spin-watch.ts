import type { CtaTask } from './launch.ts';
import { isStateOf, snapshotOf, type ClockRange, type CtaSnapshot } from './cta-snapshot.ts';

/** The number of laps without the end of a CTA before states are compared, a power of two. */
const FIRST_LAP = 256;
/**
 * The largest number of reads of memory between two marks, if the states of all CTAs equal those of
 * the mark.
 */
const MOST_LOOKS = 16;
/** How far from the clock a value may be that a kernel computes from the clock. */
const AHEAD = 1n << 32n;

export interface SpinWatchOptions {
  /** Returns the content of memory and the pending work of the network, as a short text. */
  readonly memory: () => string;
  readonly clock: () => { readonly reads: number; readonly now: bigint };
  /** Lets time pass. Returns false if that has not helped for long. */
  readonly letTimePass: () => boolean;
  /** Called when something has made progress since time was let pass. */
  readonly landed: () => void;
}

/** The whole state at one moment. */
interface Mark {
  readonly ctas: ReadonlyMap<CtaTask, CtaSnapshot | undefined>;
  readonly memory: string;
  readonly reads: number;
}

/**
 * Detects kernels that spin forever. A lap ends when every runnable CTA has run. The current state
 * is compared with that of a mark, which is set again at every power of two of laps (Brent's
 * algorithm). If a state repeats, and nothing else can change it, it repeats forever in the same
 * order.
 */
export class SpinWatch {
  readonly #options: SpinWatchOptions;
  /** The number of the current lap. A CTA that runs takes it, so no set of CTAs is needed. */
  #lap = 1;
  /** The laps since states count. */
  #laps = 0;
  #looks = 0;
  #first: bigint | undefined;
  #mark: Mark | undefined;

  constructor(options: SpinWatchOptions) {
    this.#options = options;
  }

  /**
   * Called when a launch has begun, a CTA has ended, or memory was changed from outside. Earlier
   * states no longer count.
   */
  restart(): void {
    if (this.#laps >= FIRST_LAP) this.#options.landed();
    this.#laps = 0;
    this.#mark = undefined;
    this.#lap++;
  }

  had(task: CtaTask): void {
    task.lap = this.#lap;
  }

  /** True if the CTA has run in the current lap. */
  hasHad(task: CtaTask): boolean {
    return task.lap === this.#lap;
  }

  /** True if all of these have run since the last lap ended. Then the next lap begins. */
  endsLap(running: readonly CtaTask[]): boolean {
    if (!running.every((task) => task.lap === this.#lap)) return false;
    this.#lap++;
    this.#laps++;
    return true;
  }

  /** Called at the end of a lap. True if the whole state repeats, apart from the time. */
  comesAgain(tasks: readonly CtaTask[]): boolean {
    if (this.#laps < FIRST_LAP) return false;
    const { now, reads } = this.#options.clock();
    this.#first ??= now - AHEAD;
    if (this.#mark === undefined || (this.#laps & (this.#laps - 1)) === 0) {
      this.#setMark(tasks);
      return false;
    }
    if (!this.#isMarked(tasks, this.#mark, { first: this.#first, last: now + AHEAD })) return false;
    if (this.#mark.reads === reads || !this.#options.letTimePass()) return true;
    this.#setMark(tasks);
    return false;
  }

  #setMark(tasks: readonly CtaTask[]): void {
    this.#looks = 0;
    this.#mark = {
      ctas: new Map(tasks.map((task) => [task, snapshotOf(task.state)])),
      memory: this.#options.memory(),
      reads: this.#options.clock().reads,
    };
  }

  #isMarked(tasks: readonly CtaTask[], { ctas, memory }: Mark, clock: ClockRange): boolean {
    if (this.#looks >= MOST_LOOKS || tasks.length !== ctas.size) return false;
    for (const task of tasks) {
      const before = ctas.get(task);
      if (before === undefined || !isStateOf(before, task.state, clock)) return false;
    }
    this.#looks++;
    return this.#options.memory() === memory;
  }
}
