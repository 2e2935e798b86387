import type { HostState } from '@nccl-ts/transport';

/**
 * What is known of a rank's host program at another place, which may hear of something only in a
 * moment.
 */
export class HostView {
  readonly #report: (state: HostState) => void;
  #told: HostState = 'running';
  #results = 0;
  #heard = 0;
  #waits = false;
  #reported: HostState = 'running';

  /** @param report hears of it whenever it changes. */
  constructor(report: (state: HostState) => void) {
    this.#report = report;
  }

  /** It says so. */
  told(state: HostState): void {
    this.#told = state;
    this.#update();
  }

  /** It is sent something that it may have waited for. */
  sent(): void {
    this.#results++;
    this.#update();
  }

  /** It has got so many of what was sent, and has said what it did then. */
  heard(results: number): void {
    this.#heard = results;
    this.#update();
  }

  /**
   * True if it waits for the other ranks to make the same call: for itself the call is under way.
   */
  waits(waits: boolean): void {
    this.#waits = waits;
    this.#update();
  }

  #update(): void {
    const state = this.#waits ? 'waiting' : this.#heard < this.#results ? 'running' : this.#told;
    if (state === this.#reported) return;
    this.#reported = state;
    this.#report(state);
  }
}
