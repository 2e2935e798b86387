import type { DeviceBuffer } from '@nccl-ts/transport';

/** Memory of one GPU: from `ncclMemAlloc`, or a caller's. */
export class CudaBuffer implements DeviceBuffer {
  readonly rank: number;
  readonly bytes: number;
  readonly address: number;
  /** True if it belongs to the caller, who frees it. */
  readonly ofCaller: boolean;
  isFreed: boolean = false;

  constructor(rank: number, bytes: number, address: number, ofCaller = false) {
    this.rank = rank;
    this.bytes = bytes;
    this.address = address;
    this.ofCaller = ofCaller;
  }
}
