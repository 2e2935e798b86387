import type { SimWorld } from '../sim-world.ts';

/** When a check has to end, and the worlds that it has open. */
export class Deadline {
  readonly #seconds: number | undefined;
  readonly #open = new Set<SimWorld>();
  readonly #timer: unknown;
  #isOver = false;

  /** `seconds` from now; `undefined`: there is no limit. */
  constructor(seconds: number | undefined) {
    this.#seconds = seconds;
    if (seconds !== undefined) this.#timer = setTimeout(() => this.#cut(), 1000 * seconds);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The sentence that a report gives as its bound. */
  get bound(): string {
    return `the time limit of ${this.#seconds} s was reached`;
  }

  /** A world that is ended with the time. */
  opened(world: SimWorld): void {
    this.#open.add(world);
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
    for (const world of this.#open) world.abort(new Error('the time limit was reached'));
  }
}
