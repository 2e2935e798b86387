import type { HostState } from '../backend.ts';
import type { MacrotaskQueue } from '@nccl-ts/core';

/**
 * How often the world must be found stalled in a row before it counts. A host program may await a
 * promise that was just settled, and then continues a few microtasks, or one task, later.
 */
const CONFIRMATIONS = 2;

/** The watched world. */
export interface StallWatchOptions {
  readonly ranks: number;
  /** The queue for checks. Only the watch may use it. */
  readonly macrotasks: Pick<MacrotaskQueue, 'post'>;
  /** True if no kernel can continue by itself. */
  still(): boolean;
  /** True if some kernels cannot continue. */
  stuck(): boolean;
  /** Called if no thread can continue, and once until `changed` is called. */
  onStall(): void;
}

/** Detects when neither kernels nor host programs can progress. */
export class StallWatch {
  readonly #options: StallWatchOptions;
  readonly #hosts: HostState[];
  #waiting = 0;
  #running: number;
  #changes = 0;
  #posted = false;
  #seen = 0;
  /** The count of changes at the last check. */
  #looked = -1;

  constructor(options: StallWatchOptions) {
    this.#options = options;
    this.#hosts = Array.from({ length: options.ranks }, () => 'running' as const);
    this.#running = options.ranks;
  }

  /** The states of the ranks' host programs, by rank. */
  get hosts(): readonly HostState[] {
    return this.#hosts;
  }

  /** Ignores ranks that do not exist. */
  setHost(rank: number, state: HostState): void {
    const before = this.#hosts[rank];
    if (before === undefined || before === state) return;
    this.#hosts[rank] = state;
    this.#waiting += Number(state === 'waiting') - Number(before === 'waiting');
    this.#running += Number(state === 'running') - Number(before === 'running');
    this.changed();
  }

  /** Starts a check. Call it whenever kernels have stopped or something relevant has changed. */
  changed(): void {
    this.#changes++;
    this.#consider();
  }

  #consider(): void {
    if (this.#posted || !this.#isStalled()) return;
    this.#posted = true;
    this.#options.macrotasks.post(this.#look);
  }

  #isStalled(): boolean {
    return this.#running === 0 && this.#options.still() && (this.#waiting > 0 || this.#options.stuck());
  }

  readonly #look = (): void => {
    this.#posted = false;
    if (!this.#isStalled()) {
      this.#seen = 0;
      return;
    }
    this.#seen = this.#looked === this.#changes ? this.#seen + 1 : 1;
    this.#looked = this.#changes;
    if (this.#seen < CONFIRMATIONS) {
      this.#consider();
      return;
    }
    this.#seen = 0;
    this.#options.onStall();
  };
}
