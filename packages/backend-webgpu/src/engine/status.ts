import { at as itemAt, isNcclError, NcclError } from '@nccl-ts/core';
import { launchStatus, launchStatusWords, statusWords, worldStatus } from '../emit-wgsl/status-layout.ts';
import { messageOf } from '../errors.ts';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { BufferUsage, MapMode } from '../gpu/gpu-flags.ts';
import { StagingPool } from '../memory/staging-pool.ts';
import { PassTimer } from './pass-timer.ts';

/** The status of all launches at one time. */
export class StatusView {
  readonly #words: Uint32Array;

  constructor(words: Uint32Array) {
    this.#words = words;
  }

  of(slot: number, word: keyof typeof launchStatus): number {
    return itemAt(this.#words, worldStatus.launches + slot * launchStatusWords + launchStatus[word]);
  }

  /** Returns the number of words that printed lines have requested. */
  get printed(): number {
    return itemAt(this.#words, worldStatus.printed);
  }
}

/** Data that is read together with the status. */
export interface StatusRider {
  readonly bytes: number;
  copyTo(encoder: GPUCommandEncoder, staging: GPUBuffer, offset: number): void;
  /** Takes the copied words. */
  take(words: Uint32Array<ArrayBuffer>): void;
}

/** The buffer in which launches report their progress. */
export class StatusBuffer {
  readonly buffer: GPUBuffer;
  readonly #device: AcquiredDevice;
  readonly #staging: StagingPool;
  readonly #timer: PassTimer | undefined;

  static async create(device: AcquiredDevice): Promise<StatusBuffer> {
    const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
    const buffer = await device.createBuffer({ label: 'nccl-ts: status', size: statusWords * 4, usage }, 'the status');
    return new StatusBuffer(device, buffer);
  }

  private constructor(device: AcquiredDevice, buffer: GPUBuffer) {
    this.buffer = buffer;
    this.#device = device;
    this.#staging = new StagingPool(device);
    this.#timer = PassTimer.create(device);
  }

  /**
   * Returns the nanoseconds of kernels on the GPU so far; `undefined` if the device has no
   * timestamps.
   */
  get nanoseconds(): bigint | undefined {
    return this.#timer?.nanoseconds;
  }

  /**
   * Submits the commands that `encode` adds, and then reads the status of the first `slots`
   * launches.
   *
   * @param rider further data to read at the same time
   */
  async submit(
    slots: number,
    encode: (encoder: GPUCommandEncoder, timing: GPUComputePassTimestampWrites | undefined) => void,
    rider?: StatusRider,
  ): Promise<StatusView> {
    const bytes = (worldStatus.launches + slots * launchStatusWords) * 4;
    const timer = this.#timer;
    const riders = [timer, rider].filter((one) => one !== undefined);
    const words = await this.#read(0, bytes, (encoder) => encode(encoder, timer?.writes), riders);
    return new StatusView(words);
  }

  /** Returns the words starting at `first`, as they are when all submitted work has run. */
  async words(first: number, count: number): Promise<Uint32Array> {
    return this.#read(first * 4, count * 4, () => undefined, []);
  }

  async #read(
    offset: number,
    bytes: number,
    encode: (encoder: GPUCommandEncoder) => void,
    riders: readonly StatusRider[],
  ): Promise<Uint32Array> {
    const { device } = this.#device;
    const all = riders.reduce((sum, rider) => sum + rider.bytes, bytes);
    return this.#staging.use(all, async (staging) => {
      const encoder = device.createCommandEncoder();
      encode(encoder);
      encoder.copyBufferToBuffer(this.buffer, offset, staging, 0, bytes);
      const copied = riders.map((rider, i) => ({
        rider,
        at: riders.slice(0, i).reduce((sum, one) => sum + one.bytes, bytes),
      }));
      for (const { rider, at } of copied) rider.copyTo(encoder, staging, at);
      const submitted = this.#submit(() => device.queue.submit([encoder.finish()]));
      const mapped = this.#device.unlessLost('run kernels', staging.mapAsync(MapMode.READ, 0, all));
      await Promise.all([submitted, mapped]);
      const words = new Uint32Array(staging.getMappedRange(0, all).slice(0));
      staging.unmap();
      for (const { rider, at } of copied) rider.take(words.subarray(at / 4, (at + rider.bytes) / 4));
      return words.subarray(0, bytes / 4);
    });
  }

  /**
   * WebGPU reports errors of a caller's own buffers only when kernels that bind them are submitted.
   * These kernels then do not run.
   */
  async #submit(calls: () => void): Promise<void> {
    if (this.#device.owned) {
      calls();
      return;
    }
    try {
      await this.#device.validated('run kernels', calls);
    } catch (cause) {
      if (!isNcclError(cause, 'NCCL_INTERNAL_ERROR')) throw cause;
      throw new NcclError(
        'NCCL_INVALID_USAGE',
        `Kernels cannot run, because a GPUBuffer that the world has adopted must not be destroyed or mapped. ${messageOf(cause)}`,
        { cause },
      );
    }
  }

  /** Sets words, which later submissions see. */
  write(first: number, words: readonly number[]): void {
    this.#device.device.queue.writeBuffer(this.buffer, first * 4, Uint32Array.from(words));
  }

  /** Initializes the words of a launch. */
  begin(slot: number, ctas: number): void {
    const words = Array.from({ length: launchStatusWords }, () => 0);
    words[launchStatus.live] = ctas;
    this.write(worldStatus.launches + slot * launchStatusWords, words);
  }

  /** Prevents CTAs of a launch from starting another slice. */
  halt(slot: number): void {
    this.write(worldStatus.launches + slot * launchStatusWords + launchStatus.fault, [1]);
  }

  dispose(): void {
    this.#staging.dispose();
    this.#timer?.dispose();
    this.buffer.destroy();
  }
}
