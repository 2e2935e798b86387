import type { DeviceBuffer } from '@nccl-ts/transport';
import type { GpuStore } from './address-map.ts';

/** Memory of one rank: a piece of the heap, or a caller's GPUBuffer. */
export class WebgpuBuffer implements DeviceBuffer {
  readonly rank: number;
  readonly bytes: number;
  /** The address of its first byte for kernels and hosts. */
  readonly address: number;
  /** The store of its bytes. */
  readonly store: GpuStore;
  freed = false;

  constructor(rank: number, bytes: number, address: number, store: GpuStore) {
    this.rank = rank;
    this.bytes = bytes;
    this.address = address;
    this.store = store;
  }
}
