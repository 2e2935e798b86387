import type { DeviceBuffer } from '@nccl-ts/transport';

/** Memory of one GPU, either from `ncclMemAlloc` or from the caller. */
export class CudaBuffer implements DeviceBuffer {
  readonly rank: number;
  readonly bytes: number;
  readonly address: number;
  /** True if the caller owns it, and frees it. */
  readonly ofCaller: boolean;
  isFreed: boolean = false;

  constructor(rank: number, bytes: number, address: number, ofCaller = false) {
    this.rank = rank;
    this.bytes = bytes;
    this.address = address;
    this.ofCaller = ofCaller;
  }
}
