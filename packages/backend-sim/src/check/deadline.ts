import type { SimWorld } from '../sim-world.ts';

/** When a check has to end, and the worlds that it has open. */
export class Deadline {
  readonly #seconds: number | undefined;
  readonly #end: number;
  readonly #open = new Set<SimWorld>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  /** `seconds` from now; `undefined`: there is time without end. */
  constructor(seconds: number | undefined) {
    this.#seconds = seconds;
    this.#end = seconds === undefined ? Infinity : performance.now() + 1000 * seconds;
    if (seconds !== undefined) this.#timer = setTimeout(() => this.#cut(), 1000 * seconds);
  }

  get isOver(): boolean {
    return this.#isOver || performance.now() >= this.#end;
  }

  /** How many milliseconds are left: `Infinity` where there is no limit. */
  get left(): number {
    return Math.max(0, this.#end - performance.now());
  }

  /** The sentence that a report gives as its bound. */
  get bound(): string {
    return `the time of ${this.#seconds} s was over`;
  }

  /** A world that is ended with the time. */
  opened(world: SimWorld): void {
    this.#open.add(world);
    if (this.isOver) this.#cut();
  }

  closed(world: SimWorld): void {
    this.#open.delete(world);
  }

  /** Nobody asks any more. */
  dispose(): void {
    clearTimeout(this.#timer);
  }

  /** Kernels go on no further; what they have done so far stays in the worlds' reports. */
  #cut(): void {
    this.#isOver = true;
    for (const world of this.#open) world.abort(new Error('the time is over'));
  }
}
