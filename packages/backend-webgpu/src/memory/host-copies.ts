import { isNcclError, NcclError } from '@nccl-ts/core';
import { closed, messageOf } from '../errors.ts';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { MapMode } from '../gpu/gpu-flags.ts';
import type { GpuStore } from './address-map.ts';
import { StagingPool } from './staging-pool.ts';
import { WordPatcher } from './word-patcher.ts';

/** The largest size of one copy, because staging memory takes room on both sides. */
const PIECE_BYTES = 1 << 24;

/**
 * The number of pieces of one read in progress at the same time: the host copies one while others
 * arrive.
 */
const LANES = 3;

/** The number of bytes in flight to the GPU at which a write waits for them. */
const UNFINISHED_BYTES = 1 << 26;

/**
 * Copies between the host's memory and stores, of any size at any offset. Several may be in
 * progress.
 */
export class HostCopies {
  readonly #device: AcquiredDevice;
  readonly #staging: StagingPool;
  readonly #patcher: WordPatcher;
  #unfinished = 0;
  #disposed = false;

  constructor(device: AcquiredDevice) {
    this.#device = device;
    this.#staging = new StagingPool(device);
    this.#patcher = new WordPatcher(device);
  }

  /**
   * Copies `data` to byte `offset` of the store. When it resolves, the bytes are in flight, and all
   * later submissions see them. Data of at most one piece is read before this returns, unless too
   * much is in flight.
   */
  async write(store: GpuStore, offset: number, data: ArrayBufferView): Promise<void> {
    this.#check('write');
    const bytes = unshared(data);
    const end = offset + bytes.length;
    const bodyBegin = Math.min(end, Math.ceil(offset / 4) * 4);
    const bodyEnd = Math.max(bodyBegin, Math.floor(end / 4) * 4);
    const head = bytes.subarray(0, bodyBegin - offset);
    const tail = bytes.subarray(bodyEnd - offset);
    let begin = bodyBegin;
    do {
      const at = begin;
      const piece = bytes.subarray(at - offset, Math.min(bodyEnd, at + PIECE_BYTES) - offset);
      if (this.#unfinished + piece.length > UNFINISHED_BYTES) await this.#finishOthers();
      this.#unfinished += piece.length;
      const validated = this.#submit('write', store, () => {
        if (at === bodyBegin) this.#patcher.patch(store.buffer, offset, head, bodyEnd, tail);
        if (piece.length > 0) this.#device.device.queue.writeBuffer(store.buffer, at, piece);
      });
      if (validated !== undefined) await validated;
      begin += PIECE_BYTES;
    } while (begin < bodyEnd);
  }

  /**
   * Fills `into` with the store's content, starting at byte `offset`, after all earlier
   * submissions. Large reads consist of pieces, which may be from different times.
   */
  async read(store: GpuStore, offset: number, into: ArrayBufferView): Promise<void> {
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
    this.#check('read');
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < bytes.length) {
        const begin = next;
        next += PIECE_BYTES;
        await this.#readPiece(store, offset + begin, bytes.subarray(begin, begin + PIECE_BYTES));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  dispose(): void {
    this.#disposed = true;
    this.#staging.dispose();
    this.#patcher.dispose();
  }

  async #readPiece(store: GpuStore, offset: number, into: Uint8Array): Promise<void> {
    const begin = Math.floor(offset / 4) * 4;
    const size = Math.ceil((offset + into.length) / 4) * 4 - begin;
    await this.#staging.use(size, async (staging) => {
      this.#check('read');
      const submitted = this.#submit('read', store, () => {
        const { device } = this.#device;
        const encoder = device.createCommandEncoder();
        encoder.copyBufferToBuffer(store.buffer, begin, staging, 0, size);
        device.queue.submit([encoder.finish()]);
      });
      const mapped = this.#device.unlessLost('read', staging.mapAsync(MapMode.READ, 0, size));
      try {
        await Promise.all([submitted, mapped]);
      } catch (error) {
        this.#check('read');
        throw error;
      }
      into.set(new Uint8Array(staging.getMappedRange(0, size), offset - begin, into.length));
      staging.unmap();
    });
  }

  /**
   * WebGPU reports errors of a caller's own buffer only when work on it is submitted. Only then is
   * there something to await.
   */
  #submit(what: string, store: GpuStore, calls: () => void): Promise<void> | undefined {
    if (store.ofCaller) return this.#validated(what, calls);
    calls();
    return undefined;
  }

  async #validated(what: string, calls: () => void): Promise<void> {
    try {
      await this.#device.validated(what, calls);
    } catch (cause) {
      if (!isNcclError(cause, 'NCCL_INTERNAL_ERROR')) throw cause;
      throw new NcclError(
        'NCCL_INVALID_USAGE',
        `${what}: the caller's GPUBuffer cannot be copied; it may be neither destroyed nor mapped. ${messageOf(cause)}`,
        { cause },
      );
    }
  }

  async #finishOthers(): Promise<void> {
    await this.#device.unlessLost('write', this.#device.device.queue.onSubmittedWorkDone());
    this.#check('write');
    this.#unfinished = 0;
  }

  #check(what: string): void {
    if (this.#disposed) throw closed(what);
    this.#device.check(what);
  }
}

/** WebGPU in Node crashes the process if it gets shared memory. */
function unshared(data: ArrayBufferView): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = data;
  if (buffer instanceof ArrayBuffer) return new Uint8Array(buffer, byteOffset, byteLength);
  return new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength));
}
