import type { LaunchOutcome } from '@nccl-ts/findings';
import type { CtaTask, Launch } from './launch.ts';

/** One rank's device: how many CTAs it holds, and whose. */
export class Device {
  readonly rank: number;
  /** The most CTAs that are resident at once, over all launches that run. */
  readonly residentCtas: number;
  /** The last launch that is over. */
  last: LaunchOutcome | undefined;
  #resident = 0;
  /** Launches with CTAs that have not started, oldest first. */
  readonly #starting: Launch[] = [];

  constructor(rank: number, residentCtas: number) {
    this.rank = rank;
    this.residentCtas = residentCtas;
  }

  begin(launch: Launch): void {
    this.#starting.push(launch);
  }

  /** The launch whose next CTA starts next: the oldest that has one, if there is room. */
  get startable(): Launch | undefined {
    return this.#resident < this.residentCtas ? this.#starting[0] : undefined;
  }

  /** Starts the next CTA of `startable`; grids start in the order of their indices. */
  start(launch: Launch): CtaTask {
    const task = launch.start();
    this.#resident++;
    if (launch.started === launch.ctas) this.#starting.shift();
    return task;
  }

  /** A CTA has ended. */
  retire(launch: Launch): void {
    launch.resident--;
    this.#resident--;
  }

  /** Takes all of a launch off the device. */
  evict(launch: Launch): void {
    this.#resident -= launch.resident;
    launch.resident = 0;
    const index = this.#starting.indexOf(launch);
    if (index !== -1) this.#starting.splice(index, 1);
  }
}
