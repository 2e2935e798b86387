import type { SimWorld } from '../sim-world.ts';

// oxlint-disable-next-line no-restricted-globals -- a time limit counts the user's time and not the machine's
const now = (): number => Date.now();

/** When a check has to end, and the worlds that it has open. */
export class Deadline {
  /** The words that a report gives as its bound. */
  readonly bound: string = 'the time limit was reached';
  readonly #end: number | undefined;
  readonly #open = new Set<SimWorld>();
  readonly #timer: unknown;
  #isOver = false;

  /** `seconds` from now; `undefined`: there is no limit. */
  constructor(seconds: number | undefined) {
    this.#end = seconds === undefined ? undefined : now() + 1000 * seconds;
    if (seconds !== undefined) this.#timer = setTimeout(() => this.#cut(), 1000 * seconds);
  }

  get isOver(): boolean {
    return this.#isOver || (this.#end !== undefined && now() >= this.#end);
  }

  /** The milliseconds that are left; `undefined` where there is no limit. */
  get left(): number | undefined {
    return this.#end === undefined ? undefined : Math.max(0, this.#end - now());
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
