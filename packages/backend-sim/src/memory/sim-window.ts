import { at } from '@nccl-ts/core';
import type { RankGroup, WindowHandle } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import type { WindowValue } from '../program.ts';

export interface SimWindowInit {
  readonly name: string;
  readonly bytes: number;
  readonly flags: WindowFlags;
  readonly flatOffset: number;
  readonly group: RankGroup;
  readonly addresses: readonly number[];
  readonly values: readonly WindowValue[];
}

/** One window over the memory of the ranks of a group: of all, for most windows. */
export class SimWindow implements WindowHandle {
  /** The name in messages: `window 2`. */
  readonly name: string;
  readonly bytes: number;
  readonly flags: WindowFlags;
  /** Its offset in every rank's slot of the flat address space. */
  readonly flatOffset: number;
  /** The group whose memory it is. */
  readonly group: RankGroup;
  /** The heap addresses of the copies, by the ranks of the group. */
  readonly addresses: readonly number[];
  /** The values in kernels, by the ranks of the group. */
  readonly values: readonly WindowValue[];

  constructor(init: SimWindowInit) {
    this.name = init.name;
    this.bytes = init.bytes;
    this.flags = init.flags;
    this.flatOffset = init.flatOffset;
    this.group = init.group;
    this.addresses = init.addresses;
    this.values = init.values;
  }

  /** True if the rank of the world has a copy. */
  has(rank: number): boolean {
    return this.group.members.includes(rank);
  }

  /** The value in kernels of `rank`, a rank of the world. */
  valueAt(rank: number): WindowValue {
    const value = this.values[this.group.members.indexOf(rank)];
    if (value === undefined) throw new RangeError(`${this.name} has no rank ${rank}.`);
    return value;
  }

  /** The heap address of the copy of `rank`, a rank of the world. */
  addressAt(rank: number): number {
    const address = this.addresses[this.group.members.indexOf(rank)];
    if (address === undefined) throw new RangeError(`${this.name} has no rank ${rank}.`);
    return address;
  }

  /** The region of the copy of `rank`, a rank of the world. */
  regionAt(rank: number): number {
    const index = this.group.members.indexOf(rank);
    return at(at(this.values, index).copies.regions, index);
  }
}
