import type { SimWorld } from '../sim-world.ts';

// oxlint-disable-next-line no-restricted-globals -- a time limit counts the user's time and not the machine's
const now = (): number => Date.now();

/** The time limit of a check, and its open worlds. */
export class Deadline {
  /** The bound in the report's words. */
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

  /** The remaining milliseconds; `undefined` if there is no limit. */
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

  /** The deadline is no longer needed. */
  dispose(): void {
    clearTimeout(this.#timer);
  }

  /** Stops kernels; the worlds' reports keep the results so far. */
  #cut(): void {
    this.#isOver = true;
    for (const world of this.#open) world.abort(new Error('the time limit was reached'));
  }
}
