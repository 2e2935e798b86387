import { NcclError } from '@nccl-ts/core';
import { isSticky } from '../ffi/cuda-failure.ts';
import { closed } from './errors.ts';

/**
 * Tracks if a world can still be used: not once it is closed, and not once the context of a GPU is
 * lost.
 */
export class WorldHealth {
  #isClosed = false;
  /** The error that lost a context. Every later call throws it. */
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

  /** @throws NcclError `NCCLTS_CLOSED`, or the error that lost a context. */
  check(what: string): void {
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#isClosed) throw closed(what);
  }

  /** Records an error that lost a context. Returns the error for callers. */
  lost(error: NcclError): NcclError {
    if (!isSticky(error)) return error;
    this.#fault ??= error;
    return this.#fault;
  }

  /** Runs an action that may discover that a context is lost. */
  async guarded<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw error instanceof NcclError ? this.lost(error) : error;
    }
  }
}
