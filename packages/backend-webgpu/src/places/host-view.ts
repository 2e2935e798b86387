import type { HostState } from '@nccl-ts/transport';

/** The known state of a remote rank's host program. Events reach it with a delay. */
export class HostView {
  readonly #report: (state: HostState) => void;
  #told: HostState = 'running';
  #results = 0;
  #heard = 0;
  #waits = false;
  #reported: HostState = 'running';

  /** @param report called whenever the state changes */
  constructor(report: (state: HostState) => void) {
    this.#report = report;
  }

  /** Called when the rank reports its state. */
  told(state: HostState): void {
    this.#told = state;
    this.#update();
  }

  /** Called when the rank is sent something for which it may have waited. */
  sent(): void {
    this.#results++;
    this.#update();
  }

  /**
   * Called when the rank has received the given number of results, and has reported its state after
   * them.
   */
  heard(results: number): void {
    this.#heard = results;
    this.#update();
  }

  /**
   * Records if the rank waits for the other ranks to make the same call. The rank itself only sees
   * that the call is in progress.
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
