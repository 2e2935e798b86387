import { at } from '@nccl-ts/core';
import type { RankGroup, WindowHandle } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import type { WindowValue } from '@nccl-ts/codegen';

export interface SimWindowInit {
  readonly name: string;
  readonly bytes: number;
  readonly flags: WindowFlags;
  readonly flatOffset: number;
  readonly group: RankGroup;
  readonly addresses: readonly number[];
  readonly values: readonly WindowValue[];
}

/** One window over the memory of the ranks of a group, usually all ranks. */
export class SimWindow implements WindowHandle {
  /** The name in messages, such as `window 2`. */
  readonly name: string;
  readonly bytes: number;
  readonly flags: WindowFlags;
  /** Its offset in every rank's slot of the flat address space. */
  readonly flatOffset: number;
  /** The group that owns the memory. */
  readonly group: RankGroup;
  /** The heap addresses of the copies, by the ranks of the group. */
  readonly addresses: readonly number[];
  /** The window's values in kernels, by the ranks of the group. */
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

  /** True if this rank of the world has a copy. */
  has(rank: number): boolean {
    return this.group.members.includes(rank);
  }

  /** Returns the value in kernels of `rank`, a rank of the world. */
  valueAt(rank: number): WindowValue {
    const value = this.values[this.group.members.indexOf(rank)];
    if (value === undefined) throw new RangeError(`${this.name} has no rank ${rank}.`);
    return value;
  }

  /** Returns the heap address of the copy of `rank`, a rank of the world. */
  addressAt(rank: number): number {
    const address = this.addresses[this.group.members.indexOf(rank)];
    if (address === undefined) throw new RangeError(`${this.name} has no rank ${rank}.`);
    return address;
  }

  /** Returns the region of the copy of `rank`, a rank of the world. */
  regionAt(rank: number): number {
    const index = this.group.members.indexOf(rank);
    return at(at(this.values, index).copies.regions, index);
  }
}
