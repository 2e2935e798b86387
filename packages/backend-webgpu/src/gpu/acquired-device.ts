import { createMacrotaskQueue, NcclError } from '@nccl-ts/core';
import { closed, deviceLost, outOfMemory } from '../errors.ts';
import { deviceLimitsOf, type DeviceLimits } from './device-limits.ts';
import { restWhileWaiting } from './rest-while-waiting.ts';

/** The known facts about the GPU; empty if the system hides them. */
export interface AdapterInfo {
  readonly vendor: string;
  readonly architecture: string;
  readonly description: string;
}

/** The time after a failed operation within which the loss of the device may be reported. */
const GRACE_MILLISECONDS = 100;

/** A device in use: its capabilities, and its loss. */
export class AcquiredDevice {
  readonly device: GPUDevice;
  /** True if `dispose` destroys it. */
  readonly owned: boolean;
  readonly limits: DeviceLimits;
  readonly adapterInfo: AdapterInfo;
  /** True if the GPU is emulated on the CPU, so that times are meaningless. */
  readonly software: boolean;
  readonly features: ReadonlySet<string>;
  /** Resolves with the error when the device is lost, but not after `dispose`. */
  readonly lost: Promise<NcclError>;
  readonly #onLost = new Set<(error: NcclError) => void>();
  readonly #onUncaptured = new Set<(error: NcclError) => void>();
  #lossError: NcclError | undefined;
  #disposed = false;

  constructor(device: GPUDevice, owned: boolean, info: GPUAdapterInfo | undefined) {
    this.device = device;
    this.owned = owned;
    this.limits = deviceLimitsOf(device.limits);
    this.adapterInfo = Object.freeze({
      vendor: info?.vendor ?? '',
      architecture: info?.architecture ?? '',
      description: info?.description ?? '',
    });
    this.software = info !== undefined && isSoftware(info);
    this.features = new Set(device.features);
    this.lost = this.#watch();
    device.addEventListener('uncapturederror', this.#uncaptured);
  }

  /** The reason why the device is lost; `undefined` while it works. */
  get lossError(): NcclError | undefined {
    return this.#lossError;
  }

  /**
   * Calls back once when the device is lost, or immediately if it already is. Returns a function
   * that cancels this.
   */
  onLost(callback: (error: NcclError) => void): () => void {
    if (this.#lossError === undefined) this.#onLost.add(callback);
    else callback(this.#lossError);
    return () => void this.#onLost.delete(callback);
  }

  /**
   * Calls back for each error that WebGPU reports and no error scope catches. On a caller's device,
   * this includes the caller's own calls. Returns a function that cancels this.
   */
  onUncaptured(callback: (error: NcclError) => void): () => void {
    this.#onUncaptured.add(callback);
    return () => void this.#onUncaptured.delete(callback);
  }

  /** Throws if the device is lost or released. */
  check(what: string): void {
    if (this.#disposed) throw closed(what);
    if (this.#lossError !== undefined) throw this.#lossError;
  }

  /**
   * Returns the result of `work`. Rejects as soon as the device is lost, even if `work` continues,
   * and with the loss if `work` fails because of it.
   */
  async unlessLost<T>(what: string, work: Promise<T>): Promise<T> {
    let stop: (() => void) | undefined;
    const goOn = this.software ? restWhileWaiting() : undefined;
    const loss = new Promise<never>((_, reject) => {
      stop = this.onLost(reject);
    });
    try {
      return await Promise.race([work, loss]);
    } catch (error) {
      // The order of the two reports, the failure and the loss that caused it, is not specified.
      if (this.#lossError === undefined && !this.#disposed) await this.#grace();
      this.check(what);
      throw error;
    } finally {
      goOn?.();
      stop?.();
    }
  }

  /**
   * Runs WebGPU calls, and rejects with the first error that they cause; with `NCCL_INTERNAL_ERROR`
   * if the device finds them invalid. `calls` must not await anything.
   */
  async validated<T>(what: string, calls: () => T): Promise<T> {
    const { result, error } = await this.#scoped(what, 'validation', calls);
    if (error === null) return result;
    throw new NcclError('NCCL_INTERNAL_ERROR', `${what}: WebGPU reports ${error.message.trim()}`, { cause: error });
  }

  /**
   * Creates a buffer, zero-filled.
   *
   * @param purpose its purpose, for the message, such as `a buffer of rank 3`
   * @throws NcclError `NCCLTS_OUT_OF_MEMORY` with the requested bytes and the device's limit.
   */
  async createBuffer(descriptor: GPUBufferDescriptor, purpose: string): Promise<GPUBuffer> {
    this.check(purpose);
    const { maxBufferSize } = this.limits;
    const { size } = descriptor;
    if (size > maxBufferSize) {
      throw outOfMemory(purpose, size, maxBufferSize, `and a buffer of this device has at most ${maxBufferSize}`);
    }
    const create = (): GPUBuffer => this.device.createBuffer(descriptor);
    const { result, error } = await this.#scoped(purpose, 'out-of-memory', create);
    if (error === null) return result;
    result.destroy();
    throw outOfMemory(purpose, size, maxBufferSize, 'and the GPU has no room for them', error);
  }

  /**
   * Ends everything here, and the device if it is owned. Pending waits for the device never settle.
   */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#onLost.clear();
    this.#onUncaptured.clear();
    this.device.removeEventListener('uncapturederror', this.#uncaptured);
    if (this.owned) this.device.destroy();
  }

  readonly #uncaptured = (event: GPUUncapturedErrorEvent): void => {
    // Otherwise browsers and Dawn print it, which is right without a listener, and for the caller's
    // device.
    if (this.owned && this.#onUncaptured.size > 0) event.preventDefault();
    const { message } = event.error;
    const isOutOfMemory = event.error.constructor.name === 'GPUOutOfMemoryError';
    const code = isOutOfMemory ? 'NCCLTS_OUT_OF_MEMORY' : 'NCCL_INTERNAL_ERROR';
    const error = new NcclError(code, `WebGPU reports ${message.trim()}`, { cause: event.error });
    for (const callback of this.#onUncaptured) callback(error);
  };

  async #scoped<T>(
    what: string,
    filter: GPUErrorFilter,
    calls: () => T,
  ): Promise<{ readonly result: T; readonly error: GPUError | null }> {
    this.check(what);
    this.device.pushErrorScope(filter);
    const outcome = attempt(calls);
    const error = await this.unlessLost(what, this.device.popErrorScope());
    if ('thrown' in outcome) throw outcome.thrown;
    return { result: outcome.result, error };
  }

  async #watch(): Promise<NcclError> {
    const { reason, message } = await this.device.lost;
    // A device that was released is not lost, so this promise stays pending.
    if (this.#disposed) return new Promise<never>(() => undefined);
    const error = deviceLost(reason, message);
    this.#lossError = error;
    const callbacks = [...this.#onLost];
    this.#onLost.clear();
    for (const callback of callbacks) callback(error);
    return error;
  }

  async #grace(): Promise<void> {
    const queue = createMacrotaskQueue();
    const over = new Promise<void>((resolve) => queue.postLater(resolve, GRACE_MILLISECONDS));
    await Promise.race([this.lost, over]);
    queue.close();
  }
}

/** The error scope must be popped in every case, and its result awaited. */
function attempt<T>(calls: () => T): { readonly result: T } | { readonly thrown: unknown } {
  try {
    return { result: calls() };
  } catch (thrown) {
    return { thrown };
  }
}

function isSoftware(info: GPUAdapterInfo): boolean {
  if (info.isFallbackAdapter) return true;
  const names = [info.vendor, info.architecture, info.device, info.description].join(' ');
  return /swiftshader|llvmpipe|lavapipe|basic render/i.test(names) || info.architecture === 'warp';
}
