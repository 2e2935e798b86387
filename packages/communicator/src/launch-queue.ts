import type { LaunchReport, StreamHandle } from '@nccl-ts/transport';
import { abandonable } from './abandonable.ts';
import { closed } from './errors.ts';
import type { Stream, SynchronizeOptions } from './stream.ts';
import type { WorldState } from './world-state.ts';

/**
 * The stream behind {@link Stream}. A launch is compiled before it is handed to the backend, so the order of launches is
 * kept here until then.
 */
export class LaunchQueue implements Stream {
  readonly kind = 'stream' as const;
  readonly rank: number;
  readonly handle: StreamHandle;
  readonly #world: WorldState;
  readonly #onClose: (queue: LaunchQueue) => void;
  #isOpen = true;
  /** Ends when every launch made so far was handed to the backend or failed before. Never rejects. */
  #handedOver: Promise<unknown> = Promise.resolve();
  #beingHandedOver = 0;
  /** The backend has launches that no `synchronize` covers yet. */
  #outstanding = false;
  #synchronizing: Promise<void> | undefined;
  /** Errors of launches that nobody has been told of. */
  readonly #untold: unknown[] = [];
  #launches = 0;
  #printed: string[] = [];

  constructor(world: WorldState, handle: StreamHandle, onClose: (queue: LaunchQueue) => void) {
    this.#world = world;
    this.handle = handle;
    this.rank = handle.rank;
    this.#onClose = onClose;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** No launch is under way. */
  get isIdle(): boolean {
    return this.#beingHandedOver === 0 && !this.#outstanding && this.#synchronizing === undefined;
  }

  check(what: string): void {
    if (!this.#isOpen) throw closed(`${what}: the stream is closed.`);
  }

  /** Calls `hand` with what was prepared, after all earlier launches were handed over. */
  enqueue<T>(prepared: Promise<T>, hand: (prepared: T) => void): Promise<void> {
    const done = this.#handOver(prepared, this.#handedOver, hand);
    this.#beingHandedOver++;
    const ended = (): void => void this.#beingHandedOver--;
    this.#handedOver = Promise.allSettled([this.#handedOver, done.then(ended, ended)]);
    return done;
  }

  /**
   * Waits until everything launched before has ended; at once where nothing is outstanding.
   *
   * @throws the first thing that went wrong in it.
   */
  async drain(what: string, signal?: AbortSignal): Promise<void> {
    // A rank that does not really wait must not be reported as waiting: all others may be waiting for it.
    if (!this.isIdle) {
      const leave = this.#world.states.block(this.rank, what);
      try {
        await abandonable(this.#drained(), signal, what, (error) => this.#untold.push(error));
      } finally {
        leave();
      }
    }
    if (this.#untold.length > 0) throw this.#untold.shift();
  }

  /** As {@link drain}, but keeps what went wrong for the next that asks. At once where the world was aborted. */
  async settle(what: string): Promise<void> {
    if (!this.#world.lifecycle.isAlive) return;
    try {
      await this.drain(what);
    } catch (error) {
      this.#untold.push(error);
    }
  }

  async synchronize(options: SynchronizeOptions = {}): Promise<LaunchReport> {
    this.#world.lifecycle.check('synchronize');
    this.check('synchronize');
    await this.drain('synchronize', options.signal);
    const report: LaunchReport = { launches: this.#launches, printed: this.#printed };
    this.#launches = 0;
    this.#printed = [];
    return report;
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#onClose(this);
    if (!this.#world.lifecycle.isAlive) return;
    await this.settle('close of a stream');
    await this.#world.device.destroyStream(this.handle);
    if (this.#untold.length > 0) throw this.#untold.shift();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #handOver<T>(prepared: Promise<T>, earlier: Promise<unknown>, hand: (prepared: T) => void): Promise<void> {
    const [value] = await Promise.all([prepared, earlier]);
    hand(value);
    this.#outstanding = true;
  }

  async #drained(): Promise<void> {
    await this.#handedOver;
    if (this.#outstanding) {
      this.#outstanding = false;
      const synchronizing = this.#synchronizeAfter(this.#synchronizing);
      this.#synchronizing = synchronizing;
      const forget = (): void => {
        if (this.#synchronizing === synchronizing) this.#synchronizing = undefined;
      };
      synchronizing.then(forget, forget);
    }
    await this.#synchronizing;
  }

  async #synchronizeAfter(earlier: Promise<void> | undefined): Promise<void> {
    // One at a time, so that no two calls report the same launches. An earlier failure was told to who asked earlier.
    await earlier?.catch(() => undefined);
    const report = await this.#world.device.synchronize(this.handle);
    this.#launches += report.launches;
    for (const line of report.printed) this.#printed.push(line);
  }
}
