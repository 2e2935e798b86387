import type { LaunchOutcome } from '@nccl-ts/findings';
import type { Residents } from './residents.ts';
import type { Choose } from './host-news.ts';
import type { CtaTask, SimLaunch } from './launch.ts';

/** One rank's device: the number of CTAs that it can hold, and its launches. */
export class Device {
  readonly rank: number;
  /** The last launch that has ended. */
  last: LaunchOutcome | undefined;
  readonly #residents: Residents;
  /** Launches with CTAs that have not started, oldest first. */
  readonly #starting: SimLaunch[] = [];

  constructor(rank: number, residents: Residents) {
    this.rank = rank;
    this.#residents = residents;
  }

  /**
   * Returns the largest number of CTAs that are resident at the same time, over all running
   * launches.
   */
  get residentCtas(): number {
    return this.#residents.limit;
  }

  begin(launch: SimLaunch): void {
    launch.isCrowded = !launch.isCooperative && (this.isWaited || !this.#residents.has(this.rank, launch.ctas));
    this.#starting.push(launch);
  }

  /** True if launches have CTAs that have not started. */
  get isWaited(): boolean {
    return this.#starting.length > 0;
  }

  /**
   * Reserves room for the next CTA, if there is any. Returns its launch, the oldest that has one.
   */
  take(): SimLaunch | undefined {
    const [launch] = this.#starting;
    if (launch === undefined) return undefined;
    // The CTAs of a cooperative grid, and of a cluster, all start at the same time, or none does.
    return this.#residents.has(this.rank, launch.together) && this.#residents.take(this.rank) ? launch : undefined;
  }

  /** Returns room that `take` reserved and that was not used. */
  give(): void {
    this.#residents.give(this.rank);
  }

  /**
   * Starts the next CTA of a launch that `take` returned. If there is room for all, or without
   * `choose`, they start in the order of their indices.
   */
  start(launch: SimLaunch, choose: Choose | undefined): CtaTask {
    const choice = launch.isCrowded && launch.choices > 0 ? choose?.(launch.choices) : undefined;
    const task = launch.start(choice);
    if (launch.started === launch.ctas) this.#starting.shift();
    return task;
  }

  /** Called when a CTA has ended. */
  retire({ owner, cta }: CtaTask): void {
    owner.retired(cta);
    this.#residents.give(this.rank);
  }

  /** Removes a whole launch from the device. */
  evict(launch: SimLaunch): void {
    this.#residents.give(this.rank, launch.resident);
    launch.resident = 0;
    const index = this.#starting.indexOf(launch);
    if (index !== -1) this.#starting.splice(index, 1);
  }
}
