import { aborted, closed, messageOf } from './errors.ts';

/** True if a world may be used. It leaves `open` once, for good. */
export class Lifecycle {
  #state: 'open' | 'aborted' | 'closing' | 'closed' = 'open';
  #cause: unknown;

  /**
   * The backend still does what it is asked: things can be given back one by one. Otherwise all
   * goes with the world.
   */
  get isAlive(): boolean {
    return this.#state === 'open' || this.#state === 'closing';
  }

  /** @returns whether the world was open. */
  abort(cause: unknown): boolean {
    if (this.#state !== 'open') return false;
    this.#state = 'aborted';
    this.#cause = cause;
    return true;
  }

  /** Nothing new may begin; what there is is given back. */
  beginClose(): void {
    if (this.#state === 'open') this.#state = 'closing';
  }

  close(): void {
    this.#state = 'closed';
  }

  /** @throws NcclError `NCCLTS_CLOSED` or `NCCLTS_ABORTED`; `what` is what was asked. */
  check(what: string): void {
    if (this.#state === 'closing' || this.#state === 'closed') throw closed(`${what}: the world is closed.`);
    if (this.#state === 'aborted') {
      throw aborted(
        `${what}: the world was aborted, only close() may follow. Why it was aborted: ${messageOf(this.#cause)}`,
        this.#cause,
      );
    }
  }
}
