import type { LaunchOutcome } from '@nccl-ts/findings';
import type { Residents } from './residents.ts';
import type { CtaTask, Launch } from './launch.ts';

/** One rank's device: the number of CTAs that it can hold, and their launches. */
export class Device {
  readonly rank: number;
  /** The last launch that is over. */
  last: LaunchOutcome | undefined;
  readonly #residents: Residents;
  /** Launches with CTAs that have not started, oldest first. */
  readonly #starting: Launch[] = [];

  constructor(rank: number, residents: Residents) {
    this.rank = rank;
    this.#residents = residents;
  }

  /** The most CTAs that are resident at once, over all launches that run. */
  get residentCtas(): number {
    return this.#residents.limit;
  }

  begin(launch: Launch): void {
    this.#starting.push(launch);
  }

  /** True if launches have CTAs that have not started. */
  get isWaited(): boolean {
    return this.#starting.length > 0;
  }

  /**
   * Takes room for the next CTA, and returns its launch, the oldest that has one, if there is room.
   */
  take(): Launch | undefined {
    const [launch] = this.#starting;
    if (launch === undefined) return undefined;
    // All CTAs of a cooperative grid start at once, or none does.
    const together = launch.isCooperative && launch.started === 0 ? launch.ctas : 1;
    return this.#residents.has(this.rank, together) && this.#residents.take(this.rank) ? launch : undefined;
  }

  /** Returns room that `take` took and that was not used. */
  give(): void {
    this.#residents.give(this.rank);
  }

  /** Starts the next CTA of the result of `take`; grids start in the order of their indices. */
  start(launch: Launch): CtaTask {
    const task = launch.start();
    if (launch.started === launch.ctas) this.#starting.shift();
    return task;
  }

  /** A CTA has ended. */
  retire({ owner, cta }: CtaTask): void {
    owner.retired(cta);
    this.#residents.give(this.rank);
  }

  /** Takes all of a launch off the device. */
  evict(launch: Launch): void {
    this.#residents.give(this.rank, launch.resident);
    launch.resident = 0;
    const index = this.#starting.indexOf(launch);
    if (index !== -1) this.#starting.splice(index, 1);
  }
}
