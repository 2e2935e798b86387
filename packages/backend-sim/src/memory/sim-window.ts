import type { WindowHandle } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import type { WindowValue } from '../program.ts';

export interface SimWindowInit {
  readonly name: string;
  readonly bytes: number;
  readonly flags: WindowFlags;
  readonly flatOffset: number;
  readonly addresses: readonly number[];
  readonly values: readonly WindowValue[];
}

/** One window over the memory of all ranks. */
export class SimWindow implements WindowHandle {
  /** For people: `window 2`. */
  readonly name: string;
  readonly bytes: number;
  readonly flags: WindowFlags;
  /** Where it begins in every rank's slot of the flat address space. */
  readonly flatOffset: number;
  /** Where each rank's copy begins in the heap. */
  readonly addresses: readonly number[];
  /** What kernels see of it, by rank. */
  readonly values: readonly WindowValue[];

  constructor(init: SimWindowInit) {
    this.name = init.name;
    this.bytes = init.bytes;
    this.flags = init.flags;
    this.flatOffset = init.flatOffset;
    this.addresses = init.addresses;
    this.values = init.values;
  }

  /** What kernels of `rank` see of it. */
  valueAt(rank: number): WindowValue {
    const value = this.values[rank];
    if (value === undefined) throw new RangeError(`${this.name} has no rank ${rank}.`);
    return value;
  }

  /** Where the copy of `rank` begins in the heap. */
  addressAt(rank: number): number {
    const address = this.addresses[rank];
    if (address === undefined) throw new RangeError(`${this.name} has no rank ${rank}.`);
    return address;
  }
}
