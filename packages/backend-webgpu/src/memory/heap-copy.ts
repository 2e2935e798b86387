import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { BufferUsage } from '../gpu/gpu-flags.ts';
import type { GpuStore } from './address-map.ts';

/** The bytes of a heap on one device. */
export class HeapCopy implements GpuStore {
  readonly base: number;
  readonly ofCaller: false = false;
  readonly device: AcquiredDevice;
  readonly #name: string;
  #buffer: GPUBuffer;

  /** @throws NcclError `NCCLTS_OUT_OF_MEMORY` */
  static async create(device: AcquiredDevice, name: string, base: number, size: number): Promise<HeapCopy> {
    return new HeapCopy(device, name, base, await createStorage(device, name, size));
  }

  private constructor(device: AcquiredDevice, name: string, base: number, buffer: GPUBuffer) {
    this.base = base;
    this.device = device;
    this.#name = name;
    this.#buffer = buffer;
  }

  /** Returns the current buffer. Growing replaces it. */
  get buffer(): GPUBuffer {
    return this.#buffer;
  }

  /** Creates a larger buffer for `replace`. @throws NcclError `NCCLTS_OUT_OF_MEMORY` */
  async createLarger(size: number): Promise<GPUBuffer> {
    return createStorage(this.device, this.#name, size);
  }

  /**
   * Replaces the buffer immediately. Earlier submissions use the old buffer, later ones the new
   * one.
   */
  replace(fresh: GPUBuffer): void {
    const old = this.#buffer;
    this.#submit((encoder) => encoder.copyBufferToBuffer(old, 0, fresh, 0, old.size));
    this.#buffer = fresh;
    // WebGPU keeps it until submitted work has ended. Later submissions that use it fail, as they
    // should.
    old.destroy();
  }

  clear(begin: number, end: number): void {
    this.#submit((encoder) => encoder.clearBuffer(this.#buffer, begin, end - begin));
  }

  dispose(): void {
    this.#buffer.destroy();
  }

  #submit(encode: (encoder: GPUCommandEncoder) => void): void {
    const { device } = this.device;
    const encoder = device.createCommandEncoder();
    encode(encoder);
    device.queue.submit([encoder.finish()]);
  }
}

async function createStorage(device: AcquiredDevice, name: string, size: number): Promise<GPUBuffer> {
  const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
  return device.createBuffer({ label: `nccl-ts: ${name}`, size, usage }, name);
}
