import type { HostState } from '@nccl-ts/transport';

/** The known state of a remote rank's host program, which may learn of events with a delay. */
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

  /** The rank reports its state. */
  told(state: HostState): void {
    this.#told = state;
    this.#update();
  }

  /** It is sent something that it may have waited for. */
  sent(): void {
    this.#results++;
    this.#update();
  }

  /** It has received the given number of results, and has reported its state after them. */
  heard(results: number): void {
    this.#heard = results;
    this.#update();
  }

  /**
   * True if it waits for the other ranks to make the same call: for itself the call is in progress.
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
