import type { SimWorld } from '@nccl-ts/backend-sim';

// oxlint-disable-next-line no-restricted-globals -- a time limit counts the user's time and not the machine's
const now = (): number => Date.now();

/** The end of a check, set by a time limit or a signal, and the open worlds of the check. */
export class Deadline {
  readonly #end: number | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #open = new Set<SimWorld>();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = (): void => this.#cut();
  #isOver = false;

  /** `seconds` from now; `undefined` means no limit. */
  constructor(seconds: number | undefined, signal?: AbortSignal) {
    this.#end = seconds === undefined ? undefined : now() + 1000 * seconds;
    if (seconds !== undefined) this.#timer = setTimeout(() => this.#cut(), 1000 * seconds);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#abort);
    this.#isOver = signal?.aborted === true;
  }

  get isOver(): boolean {
    return this.#isOver || (this.#end !== undefined && now() >= this.#end);
  }

  /** Names the bound for the report. */
  get bound(): string {
    return this.#signal?.aborted === true ? 'the check was stopped' : 'the time limit was reached';
  }

  /** The remaining milliseconds; `undefined` if there is no limit. */
  get left(): number | undefined {
    return this.#end === undefined ? undefined : Math.max(0, this.#end - now());
  }

  /** Registers a world that is to end with the time. */
  opened(world: SimWorld): void {
    this.#open.add(world);
    if (this.#isOver) world.abort(new Error(this.bound));
  }

  closed(world: SimWorld): void {
    this.#open.delete(world);
  }

  /** Releases the deadline when it is no longer needed. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
  }

  /** Stops the kernels. The reports of the worlds keep the results so far. */
  #cut(): void {
    this.#isOver = true;
    for (const world of this.#open) world.abort(new Error(this.bound));
  }
}
