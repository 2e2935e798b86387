import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { RankGroup, WindowHandle } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';

/** A window as kernels of one rank see it: its copy at each LSA peer. */
export interface WindowValue {
  /** The address of each LSA peer's copy, by LSA rank. All ranks of an LSA team share the array. */
  readonly bases: Uint32Array<ArrayBuffer>;
  /** The regions of the LSA peers' copies: `firstRegion + lsaRank`. */
  readonly firstRegion: number;
  readonly lsaSize: number;
  /** Numeric fields of the handle, by name. */
  readonly fields: {
    readonly bytes: number;
    readonly lsaRank: number;
    readonly lsaSize: number;
    readonly worldRank: number;
  };
}

export interface WebgpuWindowInit {
  readonly name: string;
  readonly bytes: number;
  readonly flags: WindowFlags;
  readonly group: RankGroup;
  readonly addresses: Uint32Array;
  readonly values: readonly WindowValue[];
  readonly plan: DevCommPlan | undefined;
}

/** One window over the memory of the ranks of a group, usually all ranks. */
export class WebgpuWindow implements WindowHandle {
  /** The name in messages, such as `window 2`. */
  readonly name: string;
  readonly bytes: number;
  readonly flags: WindowFlags;
  /** The group that owns the memory. */
  readonly group: RankGroup;
  /** The addresses of the copies, by the ranks of the group. */
  readonly addresses: Uint32Array;
  /** The values in kernels, by the ranks of the group. */
  readonly values: readonly WindowValue[];
  /** For a resource window: its device communicator's plan. */
  readonly plan: DevCommPlan | undefined;

  constructor(init: WebgpuWindowInit) {
    this.name = init.name;
    this.bytes = init.bytes;
    this.flags = init.flags;
    this.group = init.group;
    this.addresses = init.addresses;
    this.values = init.values;
    this.plan = init.plan;
  }

  /** The value in kernels of `rank`, a rank of the world. */
  valueAt(rank: number): WindowValue {
    const value = this.values[this.group.members.indexOf(rank)];
    if (value === undefined) throw new RangeError(`${this.name} has no rank ${rank}.`);
    return value;
  }

  /** The address of the copy of `rank`, a rank of the world. */
  addressAt(rank: number): number {
    const address = this.addresses[this.group.members.indexOf(rank)];
    if (address === undefined) throw new RangeError(`${this.name} has no rank ${rank}.`);
    return address;
  }
}
