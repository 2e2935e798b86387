import { takeOptions } from '@nccl-ts/core';
import type { Executable, KernelArg, LaunchConfig, LaunchReport, StreamHandle } from '@nccl-ts/transport';
import { abandonable } from './abandonable.ts';
import { closed, invalidUsage } from '../errors.ts';
import { captureOn, type Graph, type RecordedLaunch, type Recording } from './graph.ts';
import { signalOf } from './signal-of.ts';
import type { Stream, SynchronizeOptions } from './stream.ts';
import type { WorldCore } from '../world/world-core.ts';

/**
 * The stream behind {@link Stream}. A launch must be compiled before it is passed to the backend,
 * so this keeps the order of launches until then.
 */
export class LaunchQueue implements Stream {
  readonly kind = 'stream' as const;
  readonly rank: number;
  readonly handle: StreamHandle;
  readonly #world: WorldCore;
  readonly #onClose: (queue: LaunchQueue) => void;
  #isOpen = true;
  /**
   * Settles when every launch made so far was passed to the backend or failed before. It never
   * rejects.
   */
  #handedOver: Promise<unknown> = Promise.resolve();
  #beingHandedOver = 0;
  /** True if the backend has launches that no `synchronize` covers yet. */
  #outstanding = false;
  #synchronizing: Promise<void> | undefined;
  #recording: Recording | undefined;
  /** The errors of launches that were not reported yet. */
  readonly #untold: unknown[] = [];
  /** The first error of a launch. */
  #failure: { readonly error: unknown } | undefined;
  #launches = 0;
  #printed: string[] = [];

  constructor(world: WorldCore, handle: StreamHandle, onClose: (queue: LaunchQueue) => void) {
    this.#world = world;
    this.handle = handle;
    this.rank = handle.rank;
    this.#onClose = onClose;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isCapturing(): boolean {
    return this.#recording !== undefined;
  }

  /** True if no launch is in progress. */
  get isIdle(): boolean {
    return this.#beingHandedOver === 0 && !this.#outstanding && this.#synchronizing === undefined;
  }

  /** Returns the first error of a launch, reported or not. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** True if the stream belongs to that rank of the world. */
  isOf(world: WorldCore, worldRank: number): boolean {
    return this.#world === world && this.rank === worldRank;
  }

  check(what: string): void {
    if (!this.#isOpen) throw closed(`${what}: the stream is closed.`);
  }

  /**
   * Passes the launch to the backend now, if all earlier ones were passed. Returns true if it did.
   */
  launchAtOnce(executable: Executable, config: LaunchConfig, args: readonly KernelArg[]): boolean {
    this.#world.states.begin(this.rank);
    if (this.#beingHandedOver > 0) return false;
    this.#hand({ executable, config, args });
    return true;
  }

  /**
   * Passes the launch to the backend when the kernel is compiled and all earlier launches were
   * passed.
   */
  launch(compiled: Promise<Executable>, what: string, config: LaunchConfig, args: readonly KernelArg[]): Promise<void> {
    return this.#inOrder(async (earlier) => {
      const [executable] = await Promise.all([compiled, earlier]);
      this.#world.lifecycle.check(what);
      this.#hand({ executable, config, args });
    });
  }

  /**
   * Calls `hand` when all earlier launches were passed to the backend; immediately if they were.
   * Its launches then count as pending.
   */
  async handInOrder(hand: (earlier: Promise<unknown>) => Promise<void>): Promise<void> {
    await this.#inOrder(hand);
  }

  /** True if every launch made so far was passed to the backend. */
  get isHandedOver(): boolean {
    return this.#beingHandedOver === 0;
  }

  /** Resolves when every launch made so far was passed to the backend, or failed. */
  async handedOver(): Promise<void> {
    await this.#handedOver;
  }

  /** Records a launch on the stream that was not made through this object. */
  noteLaunch(): void {
    this.#world.states.begin(this.rank);
    this.#outstanding = true;
  }

  /**
   * Records launches from now on.
   *
   * @throws NcclError `NCCL_INVALID_USAGE` if they are being recorded already
   */
  beginRecording(recording: Recording): void {
    if (this.#recording !== undefined) {
      throw invalidUsage(
        `capture: launches on this stream of rank ${this.rank} are being captured already; end that capture, or use another stream.`,
      );
    }
    this.#recording = recording;
  }

  endRecording(): void {
    this.#recording = undefined;
  }

  /**
   * Waits until all earlier launches have ended. Returns immediately if none is pending.
   *
   * @throws the first error of these launches.
   */
  async drain(what: string, signal?: AbortSignal): Promise<void> {
    if (this.#recording !== undefined) {
      throw invalidUsage(
        `${what}: launches on this stream of rank ${this.rank} are being captured, so nothing runs that it could wait for. ` +
          'Reads, writes and synchronize come before or after capture.',
      );
    }
    this.#world.states.begin(this.rank);
    // A rank that does not really wait must not be reported as waiting, because all others may be
    // waiting for it.
    if (!this.isIdle) {
      const leave = this.#world.states.block(this.rank, what, this);
      try {
        await abandonable(this.#drained(), signal, what, (error) => this.#untold.push(error));
      } catch (error) {
        // No other caller gets this error again.
        const at = this.#untold.indexOf(error);
        if (at !== -1) this.#untold.splice(at, 1);
        throw error;
      } finally {
        leave();
      }
    } else this.#world.states.end(this.rank, this);
    if (this.#untold.length > 0) throw this.#untold.shift();
  }

  /**
   * Like {@link drain}, but keeps errors for the next caller. Returns immediately if the world was
   * aborted.
   */
  async settle(what: string): Promise<void> {
    if (!this.#world.lifecycle.isAlive) return;
    try {
      await this.drain(what);
    } catch (error) {
      this.#untold.push(error);
    }
  }

  /**
   * Makes sure that `failure` is set after a launch has failed, even if no caller waits for it.
   * Errors are kept for the next caller.
   */
  look(): void {
    if (!this.#outstanding || this.#synchronizing !== undefined || this.#recording !== undefined) return;
    if (!this.#world.lifecycle.isAlive) return;
    this.#drained().catch((error: unknown) => this.#untold.push(error));
  }

  /**
   * Ends running and waiting launches, as far as the backend can. Unreported errors are dropped.
   */
  async cancel(reason: Error): Promise<void> {
    await this.#handedOver;
    if (!this.isIdle && this.#world.lifecycle.isAlive) {
      this.#world.device.cancel?.(this.handle, reason);
      await this.settle('abort');
    }
    this.#untold.length = 0;
  }

  async synchronize(options: SynchronizeOptions = {}): Promise<LaunchReport> {
    this.#world.lifecycle.check('synchronize');
    this.check('synchronize');
    const { signal } = takeOptions('synchronize', options, { signal: true });
    await this.drain('synchronize', signalOf(signal, 'synchronize'));
    const report: LaunchReport = { launches: this.#launches, printed: this.#printed };
    this.#launches = 0;
    this.#printed = [];
    return report;
  }

  async capture(body: () => Promise<void> | void): Promise<Graph> {
    this.#world.lifecycle.check('capture');
    this.check('capture');
    return captureOn(this.#world, [this], body);
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

  #inOrder(hand: (earlier: Promise<unknown>) => Promise<void>): Promise<void> {
    const done = hand(this.#handedOver);
    this.#beingHandedOver++;
    const ended = (): void => void this.#beingHandedOver--;
    this.#handedOver = Promise.allSettled([this.#handedOver, done.then(ended, ended)]);
    return done;
  }

  #hand(launch: RecordedLaunch): void {
    if (this.#recording !== undefined) {
      this.#recording.add(launch);
      return;
    }
    this.#world.device.launch(launch.executable, launch.config, launch.args);
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
    // One at a time, so that no two calls report the same launches. An earlier failure was reported
    // to the earlier caller.
    await earlier?.catch(() => undefined);
    const report = await this.#reported();
    this.#launches += report.launches;
    for (const line of report.printed) this.#printed.push(line);
  }

  async #reported(): Promise<LaunchReport> {
    try {
      return await this.#world.device.synchronize(this.handle);
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }
}
