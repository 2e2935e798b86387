import type { DeviceBuffer } from '@nccl-ts/transport';

/** Memory of one rank, which is a piece of the heap. */
export class SimBuffer implements DeviceBuffer {
  readonly rank: number;
  readonly bytes: number;
  /** Its heap address. Devices use the addresses of windows instead. */
  readonly address: number;
  freed = false;

  constructor(rank: number, bytes: number, address: number) {
    this.rank = rank;
    this.bytes = bytes;
    this.address = address;
  }
}
