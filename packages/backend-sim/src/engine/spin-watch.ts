import type { CtaTask } from './launch.ts';
import { sameState, snapshotOf, type ClockRange } from './cta-snapshot.ts';

/** Laps without the end of a CTA before states are compared at all: a power of two. */
const FIRST_LAP = 256;
/**
 * The largest number of reads of memory between two marks, if the states of all CTAs equal those of
 * the mark.
 */
const MOST_LOOKS = 16;
/** The distance from the clock that a kernel's computations with its values may have. */
const AHEAD = 1n << 32n;

export interface SpinWatchOptions {
  /** The content of memory, and pending work of the network, as a short text. */
  readonly memory: () => string;
  readonly clock: () => { readonly reads: number; readonly now: bigint };
  /** Lets time pass; false where that has not helped for long. */
  readonly letTimePass: () => boolean;
  /** Something has moved since time was let pass. */
  readonly landed: () => void;
}

/** The state of everything at a moment. */
interface Mark {
  readonly ctas: ReadonlyMap<CtaTask, ReturnType<typeof snapshotOf>>;
  readonly memory: string;
  readonly reads: number;
}

/**
 * Detects kernels that spin forever. A lap has ended when every runnable CTA has run. States are
 * compared with that of a mark, which is set again at every power of two of laps (Brent's
 * algorithm). If a state repeats, and nothing else can change it, it repeats forever in the same
 * order.
 */
export class SpinWatch {
  readonly #options: SpinWatchOptions;
  readonly #had = new Set<CtaTask>();
  #laps = 0;
  #looks = 0;
  #first: bigint | undefined;
  #mark: Mark | undefined;

  constructor(options: SpinWatchOptions) {
    this.#options = options;
  }

  /**
   * A launch has begun, a CTA has ended, or memory was changed from outside: earlier states do not
   * count.
   */
  restart(): void {
    if (this.#laps >= FIRST_LAP) this.#options.landed();
    this.#laps = 0;
    this.#mark = undefined;
    this.#had.clear();
  }

  had(task: CtaTask): void {
    this.#had.add(task);
  }

  /** True if all of these have run since the last lap ended; then the next one begins. */
  endsLap(count: number, running: () => readonly CtaTask[]): boolean {
    if (this.#had.size < count || !running().every((task) => this.#had.has(task))) return false;
    this.#had.clear();
    this.#laps++;
    return true;
  }

  /** Called at the end of a lap: true if the whole state repeats, independent of time. */
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
      const now = before === undefined ? undefined : snapshotOf(task.state);
      if (before === undefined || now === undefined || !sameState(before, now, clock)) return false;
    }
    this.#looks++;
    return this.#options.memory() === memory;
  }
}
