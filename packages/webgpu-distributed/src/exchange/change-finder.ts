import {
  BufferUsage,
  MapMode,
  StagingPool,
  type AcquiredDevice,
  type ByBytes,
  type ChangeSearch,
  type Replica,
  type WordRange,
} from '@nccl-ts/backend-webgpu/devices';
import { at, isNcclError } from '@nccl-ts/core';
import { BLOCK_STRIDE, BLOCK_WORDS, ENTRY_WORDS, type ChangeList } from './change-list.ts';
import { findShader } from './exchange-shaders.ts';
import { ExchangePass } from './exchange-pass.ts';

const COUNT_BYTES = 16;
/** The initial capacity of a list in words and blocks, and the maximum to which it grows. */
const FIRST_ROOM = { entries: 4096, blocks: 64 };
const MOST_ROOM = { entries: 1 << 18, blocks: 1 << 14 };
/** Reading this many unneeded entries costs less than a second request. */
const LEAST_GUESS = { entries: 64, blocks: 0 };
const MOST_GUESS = { entries: 4096, blocks: 128 };

/** Finds the changes that kernels of one device have made since the devices last agreed. */
export class ChangeFinder implements ChangeSearch {
  readonly #device: AcquiredDevice;
  readonly #replica: Replica;
  readonly #pass: ExchangePass;
  readonly #staging: StagingPool;
  readonly #counts: GPUBuffer;
  readonly #search: GPUBuffer;
  #changes: GPUBuffer;
  #ranges: GPUBuffer;
  #room: Room = FIRST_ROOM;
  /**
   * The number of entries that are read before the actual number is known: about as many as last
   * time.
   */
  #guess: Room = LEAST_GUESS;
  #found: Room = { entries: 0, blocks: 0 };
  #read: Uint32Array<ArrayBuffer> = new Uint32Array();
  #compared: readonly WordRange[] = [];
  #blocks = 0;
  #byBytes: ByBytes = { heap: false, resources: false };

  static async create(replica: Replica): Promise<ChangeFinder> {
    const { device } = replica;
    const pass = await ExchangePass.create(device, 'nccl-ts: changes of memory', findShader, [
      'read-only-storage',
      'read-only-storage',
      'storage',
      'storage',
      'read-only-storage',
      'storage',
      'storage',
      'uniform',
    ]);
    const { STORAGE, UNIFORM, COPY_DST } = BufferUsage;
    return new ChangeFinder(replica, pass, {
      counts: await createBuffer(device, COUNT_BYTES, STORAGE | BufferUsage.COPY_SRC | COPY_DST),
      search: await createBuffer(device, 32, UNIFORM | COPY_DST),
      changes: await createList(device, FIRST_ROOM),
      ranges: await createBuffer(device, 1024, STORAGE | COPY_DST),
    });
  }

  private constructor(
    replica: Replica,
    pass: ExchangePass,
    buffers: Readonly<Record<'counts' | 'search' | 'changes' | 'ranges', GPUBuffer>>,
  ) {
    this.#device = replica.device;
    this.#replica = replica;
    this.#pass = pass;
    this.#staging = new StagingPool(replica.device);
    this.#counts = buffers.counts;
    this.#search = buffers.search;
    this.#changes = buffers.changes;
    this.#ranges = buffers.ranges;
  }

  /** Returns the bytes of memory that a search reads. */
  get comparedBytes(): number {
    return this.#compared.reduce((sum, { words }) => sum + words * 4, 0);
  }

  /**
   * Sets the memory to search from now on. `ranges` must be in ascending order and must not touch.
   */
  async look(ranges: readonly WordRange[], byBytes: ByBytes): Promise<void> {
    const same = byBytes.heap === this.#byBytes.heap && byBytes.resources === this.#byBytes.resources;
    if (same && ranges === this.#compared) return;
    this.#compared = ranges;
    this.#byBytes = byBytes;
    const table = new Uint32Array(ranges.length * 4);
    let blocks = 0;
    ranges.forEach(({ address, words }, i) => {
      table.set([address, words, blocks], i * 4);
      blocks += Math.ceil(words / BLOCK_WORDS);
    });
    this.#blocks = blocks;
    if (table.byteLength > this.#ranges.size) {
      const fresh = await createBuffer(this.#device, table.byteLength * 2, BufferUsage.STORAGE | BufferUsage.COPY_DST);
      this.#ranges.destroy();
      this.#ranges = fresh;
    }
    this.#device.device.queue.writeBuffer(this.#ranges, 0, table);
    this.#describe();
  }

  /** Encodes a search. `copyTo` must follow, and then `take`. */
  encode(encoder: GPUCommandEncoder): void {
    encoder.clearBuffer(this.#counts);
    this.#pass.encode(encoder, this.#replica, [this.#ranges, this.#counts, this.#changes, this.#search], this.#blocks);
  }

  /** Bytes that `copyTo` copies. */
  get bytes(): number {
    return COUNT_BYTES + listBytes(this.#guess);
  }

  copyTo(encoder: GPUCommandEncoder, staging: GPUBuffer, offset: number): void {
    encoder.copyBufferToBuffer(this.#counts, 0, staging, offset, COUNT_BYTES);
    this.#copyList(encoder, staging, offset + COUNT_BYTES, this.#guess);
  }

  /** Takes the copied words. */
  take(words: Uint32Array<ArrayBuffer>): void {
    this.#found = { entries: at(words, 0), blocks: at(words, 1) };
    this.#read = words.subarray(COUNT_BYTES / 4);
  }

  /** True if more was found than there was room for. */
  get more(): boolean {
    return this.#found.entries > this.#room.entries || this.#found.blocks > this.#room.blocks;
  }

  /** Returns the changes that were found and had room. */
  async list(): Promise<ChangeList> {
    const counts = lesser(this.#found, this.#room);
    const copied = this.#guess;
    const next = lesser(
      greater({ entries: padded(counts.entries), blocks: padded(counts.blocks) }, LEAST_GUESS),
      MOST_GUESS,
    );
    this.#guess = lesser(next, this.#room);
    if (counts.entries <= copied.entries && counts.blocks <= copied.blocks) return listIn(this.#read, copied, counts);
    const words = await this.#readBack(listBytes(counts), (encoder, staging) =>
      this.#copyList(encoder, staging, 0, counts),
    );
    return listIn(words, counts, counts);
  }

  /** Searches again for changes that had no room. */
  async again(): Promise<void> {
    await this.#grow();
    const words = await this.#readBack(this.bytes, (encoder, staging) => {
      this.encode(encoder);
      this.copyTo(encoder, staging, 0);
    });
    this.take(words);
  }

  dispose(): void {
    this.#staging.dispose();
    for (const buffer of [this.#counts, this.#search, this.#changes, this.#ranges]) buffer.destroy();
  }

  /** Grows to hold all changes that were found, if there is enough memory. */
  async #grow(): Promise<void> {
    const wanted = { entries: padded(this.#found.entries), blocks: padded(this.#found.blocks) };
    const room = greater(lesser(wanted, MOST_ROOM), this.#room);
    if (room.entries === this.#room.entries && room.blocks === this.#room.blocks) return;
    try {
      const fresh = await createList(this.#device, room);
      this.#changes.destroy();
      this.#changes = fresh;
      this.#room = room;
      this.#describe();
    } catch (error) {
      // Then it takes more searches.
      if (!isNcclError(error, 'NCCLTS_OUT_OF_MEMORY')) throw error;
    }
  }

  #describe(): void {
    const { heap, resources } = this.#byBytes;
    const { entries, blocks } = this.#room;
    const words = [this.#compared.length, this.#blocks, entries, blocks, heap ? 1 : 0, resources ? 1 : 0];
    this.#device.device.queue.writeBuffer(this.#search, 0, Uint32Array.from(words));
  }

  #copyList(encoder: GPUCommandEncoder, staging: GPUBuffer, offset: number, counts: Room): void {
    const entryBytes = counts.entries * ENTRY_WORDS * 4;
    const blockBytes = counts.blocks * BLOCK_STRIDE * 4;
    const blocksAt = this.#room.entries * ENTRY_WORDS * 4;
    if (entryBytes > 0) encoder.copyBufferToBuffer(this.#changes, 0, staging, offset, entryBytes);
    if (blockBytes > 0) encoder.copyBufferToBuffer(this.#changes, blocksAt, staging, offset + entryBytes, blockBytes);
  }

  async #readBack(
    bytes: number,
    encode: (encoder: GPUCommandEncoder, staging: GPUBuffer) => void,
  ): Promise<Uint32Array<ArrayBuffer>> {
    const { device } = this.#device;
    return this.#staging.use(bytes, async (staging) => {
      const encoder = device.createCommandEncoder();
      encode(encoder, staging);
      device.queue.submit([encoder.finish()]);
      await this.#device.unlessLost('exchange memory between devices', staging.mapAsync(MapMode.READ, 0, bytes));
      const words = new Uint32Array(staging.getMappedRange(0, bytes).slice(0));
      staging.unmap();
      return words;
    });
  }
}

/** The numbers of single words, and of blocks. */
interface Room {
  readonly entries: number;
  readonly blocks: number;
}

function lesser(one: Room, other: Room): Room {
  return { entries: Math.min(one.entries, other.entries), blocks: Math.min(one.blocks, other.blocks) };
}

function greater(one: Room, other: Room): Room {
  return { entries: Math.max(one.entries, other.entries), blocks: Math.max(one.blocks, other.blocks) };
}

/** Rounds up to a power of two, so that small differences do not count. */
function padded(count: number): number {
  return count === 0 ? 0 : 2 ** Math.ceil(Math.log2(count));
}

function listBytes({ entries, blocks }: Room): number {
  return (entries * ENTRY_WORDS + blocks * BLOCK_STRIDE) * 4;
}

/** The first `counts` of a list that was copied with room for `copied`. */
function listIn(words: Uint32Array<ArrayBuffer>, copied: Room, counts: Room): ChangeList {
  const blocksAt = copied.entries * ENTRY_WORDS;
  return {
    entries: words.subarray(0, counts.entries * ENTRY_WORDS),
    blocks: words.subarray(blocksAt, blocksAt + counts.blocks * BLOCK_STRIDE),
  };
}

async function createList(device: AcquiredDevice, room: Room): Promise<GPUBuffer> {
  return createBuffer(device, listBytes(room), BufferUsage.STORAGE | BufferUsage.COPY_SRC);
}

async function createBuffer(device: AcquiredDevice, size: number, usage: number): Promise<GPUBuffer> {
  return device.createBuffer({ label: 'nccl-ts: changes of memory', size, usage }, 'the exchange between devices');
}
