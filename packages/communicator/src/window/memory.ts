import type { DeviceBuffer, ExposedMemory } from '@nccl-ts/transport';
import { closed } from '../errors.ts';
import { encoded, type HostData } from './host-data.ts';
import { copyFromDevice, copyToDevice, exposed, type HostPart } from './host-copy.ts';
import type { RankState } from '../rank/rank-state.ts';

/**
 * Memory of one rank's device, to be registered as a window. Its communicator owns it. Memory from
 * `memAlloc` is zero-filled. Memory from `adoptMemory` still belongs to the program, and keeps its
 * contents.
 *
 * @see ncclMemAlloc
 */
export interface DeviceMemory extends AsyncDisposable {
  readonly kind: 'memory';
  readonly rank: number;
  readonly bytes: number;
  readonly isOpen: boolean;
  /** Copies `data` unchanged to byte `offset`; see `HostWindow.write`. */
  write(data: HostData, offset?: number): Promise<void>;
  /**
   * Reads all bytes, or, with `into`, the bytes starting at `offset` that fit into it; see
   * `HostWindow.read`.
   */
  read(): Promise<Uint8Array<ArrayBuffer>>;
  read<T extends ArrayBufferView>(into: T, offset?: number): Promise<T>;
  /** Returns the memory itself; see `HostWindow.expose`. */
  expose(): Promise<ExposedMemory>;
  /**
   * Frees the memory after this rank's launches have ended and no window of any rank uses it.
   * Adopted memory is released unchanged. A second call does nothing.
   *
   * @see ncclMemFree
   */
  close(): Promise<void>;
}

/** The memory behind {@link DeviceMemory}. */
export class AllocatedMemory implements DeviceMemory {
  readonly kind = 'memory' as const;
  readonly owner: RankState;
  readonly buffer: DeviceBuffer;
  #isOpen = true;
  /** The number of windows over the memory. */
  #windows = 0;
  #isFreed = false;

  constructor(owner: RankState, buffer: DeviceBuffer) {
    this.owner = owner;
    this.buffer = buffer;
  }

  get rank(): number {
    return this.owner.rank;
  }

  get bytes(): number {
    return this.buffer.bytes;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  check(what: string): void {
    this.owner.check(what);
    if (!this.#isOpen) throw closed(`${what}: the memory was freed.`);
  }

  /** Records that a window uses the memory. */
  hold(): void {
    this.#windows++;
  }

  /** Records that a window no longer uses the memory. */
  async letGo(): Promise<void> {
    this.#windows--;
    await this.#freeUnused();
  }

  get #whole(): HostPart {
    return { buffer: this.buffer, offset: 0, bytes: this.bytes };
  }

  async write(data: HostData, offset = 0): Promise<void> {
    this.check('write');
    await copyToDevice(this.owner, this.#whole, encoded(undefined, data, 'write'), offset, 'write');
  }

  async read(): Promise<Uint8Array<ArrayBuffer>>;
  async read<T extends ArrayBufferView>(into: T, offset?: number): Promise<T>;
  async read(into: ArrayBufferView = new Uint8Array(this.bytes), offset = 0): Promise<ArrayBufferView> {
    this.check('read');
    return copyFromDevice(this.owner, this.#whole, into, offset, 'read');
  }

  async expose(): Promise<ExposedMemory> {
    this.check('expose');
    return exposed(this.owner, this.#whole, 'expose');
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.owner.resources.remove(this);
    await this.owner.settle('memFree');
    await this.#freeUnused();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #freeUnused(): Promise<void> {
    if (this.#isOpen || this.#windows > 0 || this.#isFreed || !this.owner.world.lifecycle.isAlive) return;
    this.#isFreed = true;
    await this.owner.world.device.free(this.buffer);
  }
}
