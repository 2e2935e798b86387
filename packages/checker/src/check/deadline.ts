import type { SimWorld } from '@nccl-ts/backend-sim';
import { machineClock, type CheckClock } from './check-clock.ts';

/** The end of a check, set by a time limit or a signal, and the open worlds of the check. */
export class Deadline {
  readonly #seconds: number;
  readonly #end: number;
  readonly #clock: CheckClock;
  readonly #signal: AbortSignal | undefined;
  readonly #open = new Set<Pick<SimWorld, 'abort'>>();
  readonly #cancel: (() => void) | undefined;
  readonly #abort = (): void => this.#cut();
  #isOver = false;

  /** `seconds` from now; `Infinity` means no limit. */
  constructor(seconds: number, signal?: AbortSignal, clock: CheckClock = machineClock) {
    this.#seconds = seconds;
    this.#clock = clock;
    this.#end = clock.now() + 1000 * seconds;
    if (seconds !== Infinity) this.#cancel = clock.after(1000 * seconds, () => this.#cut());
    this.#signal = signal;
    signal?.addEventListener('abort', this.#abort);
    this.#isOver = signal?.aborted === true;
  }

  get isOver(): boolean {
    return this.#isOver || this.#clock.now() >= this.#end;
  }

  /** Names the bound for the report. */
  get bound(): string {
    return this.#signal?.aborted === true ? 'the check was stopped' : timeBound(this.#seconds);
  }

  /** The remaining milliseconds; `undefined` if there is no limit. */
  get left(): number | undefined {
    return this.#end === Infinity ? undefined : Math.max(0, this.#end - this.#clock.now());
  }

  /** Registers a world that is to end with the time. */
  opened(world: Pick<SimWorld, 'abort'>): void {
    this.#open.add(world);
    if (this.#isOver) world.abort(new Error(this.bound));
  }

  closed(world: Pick<SimWorld, 'abort'>): void {
    this.#open.delete(world);
  }

  /** Releases the deadline when it is no longer needed. */
  dispose(): void {
    this.#cancel?.();
    this.#signal?.removeEventListener('abort', this.#abort);
  }

  /** Stops the kernels. The reports of the worlds keep the results so far. */
  #cut(): void {
    this.#isOver = true;
    for (const world of this.#open) world.abort(new Error(this.bound));
  }
}

/** Names a time limit that a check has reached, and a remedy. */
export function timeBound(seconds: number): string {
  const limit = Math.ceil(10 * seconds) / 10;
  return `the time limit of ${limit} s was reached; check fewer ranks, CTAs or rounds, or allow more time`;
}
