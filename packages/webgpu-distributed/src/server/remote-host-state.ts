import type { HostState } from '@nccl-ts/transport';

/** The known state of a remote rank's host program. Events reach it with a delay. */
export class RemoteHostState {
  readonly #onChange: (state: HostState) => void;
  #state: HostState = 'running';
  #results = 0;
  #received = 0;
  #waits = false;
  #reported: HostState = 'running';

  /** @param onChange called whenever the state changes */
  constructor(onChange: (state: HostState) => void) {
    this.#onChange = onChange;
  }

  /** Called when the rank reports its state. */
  report(state: HostState): void {
    this.#state = state;
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
  received(results: number): void {
    this.#received = results;
    this.#update();
  }

  /**
   * Records if the rank waits for the other ranks to make the same call. The rank itself only sees
   * that the call is in progress.
   */
  setWaiting(waits: boolean): void {
    this.#waits = waits;
    this.#update();
  }

  #update(): void {
    const state = this.#waits ? 'waiting' : this.#received < this.#results ? 'running' : this.#state;
    if (state === this.#reported) return;
    this.#reported = state;
    this.#onChange(state);
  }
}
