import { NcclError } from '@nccl-ts/core';
import { isSticky } from '../ffi/cuda-failure.ts';
import { closed } from './errors.ts';

/**
 * True if a world can still be used: not once it is closed, and not once the context of a GPU is
 * lost.
 */
export class WorldHealth {
  #isClosed = false;
  /** What lost a context: everything that is asked from then on gets this error. */
  #fault: NcclError | undefined;

  get fault(): NcclError | undefined {
    return this.#fault;
  }

  get isUsable(): boolean {
    return !this.#isClosed && this.#fault === undefined;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** @throws NcclError `NCCLTS_CLOSED`, or what lost a context. */
  check(what: string): void {
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#isClosed) throw closed(what);
  }

  /** Notes an error after which a context is lost; gives what callers get to see. */
  lost(error: NcclError): NcclError {
    if (!isSticky(error)) return error;
    this.#fault ??= error;
    return this.#fault;
  }

  /** Does what may find out that a context is lost. */
  async guarded<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw error instanceof NcclError ? this.lost(error) : error;
    }
  }
}
