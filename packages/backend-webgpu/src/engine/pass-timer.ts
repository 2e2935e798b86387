import { at as itemAt } from '@nccl-ts/core';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { BufferUsage } from '../gpu/gpu-flags.ts';

/** Words of two times of 64 bits. */
const BYTES = 16;

/** Adds up the time that compute passes take on the GPU. */
export class PassTimer {
  readonly bytes: typeof BYTES = BYTES;
  readonly #queries: GPUQuerySet;
  readonly #resolved: GPUBuffer;
  #nanoseconds = 0n;

  /** Returns `undefined` if the device has no timestamps. */
  static create({ device, features }: AcquiredDevice): PassTimer | undefined {
    if (!features.has('timestamp-query')) return undefined;
    const usage = BufferUsage.QUERY_RESOLVE | BufferUsage.COPY_SRC;
    return new PassTimer(
      device.createQuerySet({ type: 'timestamp', count: 2 }),
      device.createBuffer({ label: 'nccl-ts: times', size: BYTES, usage }),
    );
  }

  private constructor(queries: GPUQuerySet, resolved: GPUBuffer) {
    this.#queries = queries;
    this.#resolved = resolved;
  }

  get nanoseconds(): bigint {
    return this.#nanoseconds;
  }

  /** The timestamp writes of a pass. */
  get writes(): GPUComputePassTimestampWrites {
    return { querySet: this.#queries, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
  }

  copyTo(encoder: GPUCommandEncoder, staging: GPUBuffer, offset: number): void {
    encoder.resolveQuerySet(this.#queries, 0, 2, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, staging, offset, BYTES);
  }

  /** Adds the copied times. */
  take(words: Uint32Array): void {
    const time = (at: number): bigint => BigInt(itemAt(words, at)) + (BigInt(itemAt(words, at + 1)) << 32n);
    const passed = time(2) - time(0);
    // If a GPU resets its clock, a time may be earlier than its predecessor.
    if (passed > 0n) this.#nanoseconds += passed;
  }

  dispose(): void {
    this.#queries.destroy();
    this.#resolved.destroy();
  }
}
