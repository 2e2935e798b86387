import { aborted, closed, messageOf } from '../errors.ts';

/** Tracks if a world may be used. It leaves the state `open` once, and never returns. */
export class Lifecycle {
  #state: 'open' | 'aborted' | 'closing' | 'closed' = 'open';
  #cause: unknown;

  /**
   * True if the backend still works, so that resources can be freed one by one. Otherwise all of
   * them are freed with the world.
   */
  get isAlive(): boolean {
    return this.#state === 'open' || this.#state === 'closing';
  }

  /** @returns true if the world was open. */
  abort(cause: unknown): boolean {
    if (this.#state !== 'open') return false;
    this.#state = 'aborted';
    this.#cause = cause;
    return true;
  }

  /** Called before a close. The backend still works, so that single resources can be freed. */
  beginClose(): void {
    if (this.#state === 'open') this.#state = 'closing';
  }

  close(): void {
    this.#state = 'closed';
  }

  /** @throws NcclError `NCCLTS_CLOSED` or `NCCLTS_ABORTED`; `what` is the requested operation. */
  check(what: string): void {
    if (this.#state === 'closing' || this.#state === 'closed') throw closed(`${what}: the world is closed.`);
    if (this.#state === 'aborted') {
      throw aborted(
        `${what}: the world was aborted, so only close() is allowed. Reason of the abort: ${messageOf(this.#cause)}`,
        this.#cause,
      );
    }
  }
}
