import type { DeviceBuffer } from '@nccl-ts/transport';
import type { GpuStore } from './address-map.ts';

/** Memory of one rank: a piece of the heap, or a caller's GPUBuffer. */
export class WebgpuBuffer implements DeviceBuffer {
  readonly rank: number;
  readonly bytes: number;
  /** What kernels and hosts call its first byte. */
  readonly address: number;
  /** Where the bytes are. */
  readonly store: GpuStore;
  freed = false;

  constructor(rank: number, bytes: number, address: number, store: GpuStore) {
    this.rank = rank;
    this.bytes = bytes;
    this.address = address;
    this.store = store;
  }
}
