import type { DeviceBuffer } from '@nccl-ts/transport';

/** Memory of one rank: a piece of the heap. */
export class SimBuffer implements DeviceBuffer {
  readonly rank: number;
  readonly bytes: number;
  /** Where it begins in the heap. Not what devices call it: windows have addresses of their own. */
  readonly address: number;
  freed = false;

  constructor(rank: number, bytes: number, address: number) {
    this.rank = rank;
    this.bytes = bytes;
    this.address = address;
  }
}
