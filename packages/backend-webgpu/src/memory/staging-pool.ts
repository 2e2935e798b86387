import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { BufferUsage } from '../gpu/gpu-flags.ts';

const SMALLEST = 4096;

/** Idle memory beyond this is freed. */
const IDLE_BYTES = 1 << 26;

/** Buffers that the host can map to read. They are kept for reuse. */
export class StagingPool {
  readonly #device: AcquiredDevice;
  /** By size, a power of two. */
  readonly #idle = new Map<number, GPUBuffer[]>();
  readonly #all = new Set<GPUBuffer>();
  #idleBytes = 0;

  constructor(device: AcquiredDevice) {
    this.#device = device;
  }

  /**
   * Lends `work` a buffer of at least `bytes` bytes. The buffer is unmapped, and must be unmapped
   * again when `work` ends.
   */
  async use<T>(bytes: number, work: (staging: GPUBuffer) => Promise<T>): Promise<T> {
    const staging = await this.#take(bytes);
    let usable = false;
    try {
      const result = await work(staging);
      usable = true;
      return result;
    } finally {
      this.#give(staging, usable);
    }
  }

  dispose(): void {
    for (const staging of this.#all) staging.destroy();
    this.#all.clear();
    this.#idle.clear();
    this.#idleBytes = 0;
  }

  async #take(bytes: number): Promise<GPUBuffer> {
    let size = SMALLEST;
    while (size < bytes) size *= 2;
    const kept = this.#idle.get(size)?.pop();
    if (kept !== undefined) {
      this.#idleBytes -= size;
      return kept;
    }
    const usage = BufferUsage.MAP_READ | BufferUsage.COPY_DST;
    const fresh = await this.#device.createBuffer({ label: 'nccl-ts: staging', size, usage }, 'a copy to the host');
    this.#all.add(fresh);
    return fresh;
  }

  #give(staging: GPUBuffer, usable: boolean): void {
    const { size } = staging;
    if (!usable || this.#idleBytes + size > IDLE_BYTES) {
      this.#all.delete(staging);
      staging.destroy();
      return;
    }
    const kept = this.#idle.get(size);
    if (kept === undefined) this.#idle.set(size, [staging]);
    else kept.push(staging);
    this.#idleBytes += size;
  }
}
