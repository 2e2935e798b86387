import type { DeviceBuffer } from '@nccl-ts/transport';

/** Memory of one GPU, from `ncclMemAlloc`. */
export class CudaBuffer implements DeviceBuffer {
  readonly rank: number;
  readonly bytes: number;
  readonly address: number;
  isFreed: boolean = false;

  constructor(rank: number, bytes: number, address: number) {
    this.rank = rank;
    this.bytes = bytes;
    this.address = address;
  }
}
