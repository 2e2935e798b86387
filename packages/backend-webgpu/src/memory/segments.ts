import { outOfMemory } from '../errors.ts';
import { PAGE_BYTES, RESOURCE_BASE, SEGMENT_BASE, type GpuStore } from './address-map.ts';
import { FreeList } from '@nccl-ts/transport';

/** A caller's GPUBuffer, with its own addresses: kernels need a binding for each. */
export interface Segment extends GpuStore {
  readonly bytes: number;
  readonly ofCaller: true;
}

/** The callers' buffers that kernels can reach. */
export class Segments {
  readonly #standIn: () => GPUBuffer;
  readonly #standIns = new Map<GpuStore, GPUBuffer>();
  readonly #addresses = new FreeList(SEGMENT_BASE, RESOURCE_BASE, PAGE_BYTES);
  readonly #users = new Map<Segment, number>();
  #table: readonly Segment[] = Object.freeze([]);

  /**
   * @param standIn creates a buffer for kernels that still bind one which its owner has taken back
   *   and may destroy
   */
  constructor(standIn: () => GPUBuffer) {
    this.#standIn = standIn;
  }

  /** Returns all of them, by address. Each change replaces the list. */
  get table(): readonly Segment[] {
    return this.#table;
  }

  /**
   * Returns the segment of a buffer, and counts one more user. A buffer has only one segment,
   * because WebGPU does not allow two writable bindings of the same bytes.
   *
   * @throws NcclError `NCCLTS_OUT_OF_MEMORY` if no addresses are left.
   */
  take(buffer: GPUBuffer): Segment {
    const known = this.#table.find((segment) => segment.buffer === buffer);
    const segment = known ?? this.#add(buffer);
    this.#users.set(segment, (this.#users.get(segment) ?? 0) + 1);
    return segment;
  }

  /** Undoes one `take`. A segment without users is removed, and its buffer stays unchanged. */
  give(store: GpuStore): void {
    const segment = this.#table.find((other) => other === store);
    if (segment === undefined) return;
    const users = (this.#users.get(segment) ?? 1) - 1;
    this.#users.set(segment, users);
    if (users > 0) return;
    this.#users.delete(segment);
    this.#addresses.give(segment.base, segment.bytes);
    this.#table = Object.freeze(this.#table.filter((other) => other !== segment));
  }

  #standInOf(segment: Segment): GPUBuffer {
    const known = this.#standIns.get(segment) ?? this.#standIn();
    this.#standIns.set(segment, known);
    return known;
  }

  clear(): void {
    for (const standIn of this.#standIns.values()) standIn.destroy();
    this.#standIns.clear();
    for (const segment of this.#users.keys()) this.#addresses.give(segment.base, segment.bytes);
    this.#users.clear();
    this.#table = Object.freeze([]);
  }

  #add(buffer: GPUBuffer): Segment {
    const bytes = buffer.size;
    const base = this.#addresses.take(bytes);
    if (base === undefined) {
      const all = RESOURCE_BASE - SEGMENT_BASE;
      const why = `and callers' buffers have addresses for ${all} bytes, of which ${this.#addresses.largest} lie together`;
      throw outOfMemory("a caller's GPUBuffer", bytes, all, why);
    }
    const presentBuffer = (): GPUBuffer => (this.#users.has(segment) ? buffer : this.#standInOf(segment));
    const segment: Segment = Object.freeze({
      base,
      bytes,
      get buffer() {
        return presentBuffer();
      },
      ofCaller: true,
    });
    this.#users.set(segment, 0);
    this.#table = Object.freeze([...this.#table, segment].sort((a, b) => a.base - b.base));
    return segment;
  }
}
