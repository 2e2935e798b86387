import type { SimWorld } from '@nccl-ts/backend-sim';
import { machineClock, type CheckClock } from './check-clock.ts';
import type { Deadline } from './deadline.ts';

/** The parts of a deadline that a single run needs. */
export type RunDeadline = Pick<Deadline, 'isOver' | 'bound' | 'opened' | 'closed'>;

/** The parts of a world that a deadline needs. */
type RunningWorld = Pick<SimWorld, 'abort' | 'report'>;

/**
 * The deadline of the first part of a check. The part ends after half of the time if it has shown
 * an error by then. A run with counted waits does not count if it was cut, so the other half is for
 * schedules, which show the error again. Without an error, the part may take all of the time.
 */
export class FirstPart implements RunDeadline {
  readonly #whole: Deadline;
  readonly #open = new Set<RunningWorld>();
  readonly #cancel: (() => void) | undefined;
  #isOver = false;

  constructor(whole: Deadline, clock: CheckClock = machineClock) {
    this.#whole = whole;
    if (whole.left !== undefined) this.#cancel = clock.after(whole.left / 2, () => this.#look());
  }

  get isOver(): boolean {
    return this.#isOver || this.#whole.isOver;
  }

  get bound(): string {
    return this.#whole.bound;
  }

  opened(world: RunningWorld): void {
    this.#whole.opened(world);
    this.#open.add(world);
    if (this.#isOver) world.abort(new Error(this.bound));
  }

  closed(world: RunningWorld): void {
    this.#whole.closed(world);
    this.#open.delete(world);
  }

  dispose(): void {
    this.#cancel?.();
  }

  #look(): void {
    const worlds = [...this.#open];
    if (!worlds.some((world) => world.report().findings.some(({ severity }) => severity === 'error'))) return;
    this.#isOver = true;
    for (const world of worlds) world.abort(new Error(this.bound));
  }
}
