import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { MapMode } from '../gpu/gpu-flags.ts';
import type { GpuStore } from './address-map.ts';
import { StagingPool } from './staging-pool.ts';
import { WordPatcher } from './word-patcher.ts';

/** Most bytes of one copy: what lies ready on the way costs memory on both sides. */
export const PIECE_BYTES: number = 1 << 24;

/** As much may be on its way to the GPU before a write waits for it. */
const UNFINISHED_BYTES = 1 << 26;

/** Copies between the host's memory and stores, of any size at any offset. Several may be under way. */
export class HostCopies {
  readonly #device: AcquiredDevice;
  readonly #staging: StagingPool;
  readonly #patcher: WordPatcher;
  #unfinished = 0;

  constructor(device: AcquiredDevice) {
    this.#device = device;
    this.#staging = new StagingPool(device);
    this.#patcher = new WordPatcher(device);
  }

  /**
   * Copies `data` to byte `offset` of the store. When it resolves the bytes are on their way: everything that is
   * submitted afterwards finds them.
   */
  async write(store: GpuStore, offset: number, data: ArrayBufferView): Promise<void> {
    const bytes = unshared(data);
    const end = offset + bytes.length;
    const bodyBegin = Math.min(end, Math.ceil(offset / 4) * 4);
    const bodyEnd = Math.max(bodyBegin, Math.floor(end / 4) * 4);
    this.#device.check('write');
    this.#patcher.patch(
      store.buffer,
      offset,
      bytes.subarray(0, bodyBegin - offset),
      bodyEnd,
      bytes.subarray(bodyEnd - offset),
    );
    for (let begin = bodyBegin; begin < bodyEnd; begin += PIECE_BYTES) {
      const piece = bytes.subarray(begin - offset, Math.min(bodyEnd, begin + PIECE_BYTES) - offset);
      await this.#room(piece.length);
      this.#device.device.queue.writeBuffer(store.buffer, begin, piece);
    }
  }

  /** Fills `into` with what the store holds from byte `offset` on, after all that was submitted before. */
  async read(store: GpuStore, offset: number, into: ArrayBufferView): Promise<void> {
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
    const begins: number[] = [];
    for (let begin = 0; begin < bytes.length; begin += PIECE_BYTES) begins.push(begin);
    this.#device.check('read');
    for (const begin of begins) {
      await this.#readPiece(store, offset + begin, bytes.subarray(begin, begin + PIECE_BYTES));
    }
  }

  dispose(): void {
    this.#staging.dispose();
    this.#patcher.dispose();
  }

  async #readPiece(store: GpuStore, offset: number, into: Uint8Array): Promise<void> {
    const begin = Math.floor(offset / 4) * 4;
    const size = Math.ceil((offset + into.length) / 4) * 4 - begin;
    await this.#staging.use(size, async (staging) => {
      const { device } = this.#device;
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(store.buffer, begin, staging, 0, size);
      device.queue.submit([encoder.finish()]);
      await this.#device.unlessLost('read', staging.mapAsync(MapMode.READ, 0, size));
      into.set(new Uint8Array(staging.getMappedRange(0, size), offset - begin, into.length));
      staging.unmap();
    });
  }

  async #room(bytes: number): Promise<void> {
    this.#unfinished += bytes;
    if (this.#unfinished <= UNFINISHED_BYTES) return;
    await this.#device.unlessLost('write', this.#device.device.queue.onSubmittedWorkDone());
    this.#unfinished = bytes;
  }
}

/** WebGPU in Node ends the process when it gets shared memory. */
function unshared(data: ArrayBufferView): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = data;
  if (buffer instanceof ArrayBuffer) return new Uint8Array(buffer, byteOffset, byteLength);
  return new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength));
}
