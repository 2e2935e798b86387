import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { WindowHandle } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';

/** A window as kernels of one rank see it: its copy at each LSA peer. */
export interface WindowValue {
  /** Address of each LSA peer's copy, by LSA rank. All ranks of an LSA team share the array. */
  readonly bases: Uint32Array<ArrayBuffer>;
  /** Region of each LSA peer's copy: `firstRegion + lsaRank`. */
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
  readonly addresses: Uint32Array;
  readonly values: readonly WindowValue[];
  readonly plan: DevCommPlan | undefined;
}

/** One window over the memory of all ranks. */
export class WebgpuWindow implements WindowHandle {
  /** For people: `window 2`. */
  readonly name: string;
  readonly bytes: number;
  readonly flags: WindowFlags;
  /** Where each rank's copy begins. */
  readonly addresses: Uint32Array;
  /** What kernels see of it, by rank. */
  readonly values: readonly WindowValue[];
  /** Of a resource window: its device communicator's. */
  readonly plan: DevCommPlan | undefined;

  constructor(init: WebgpuWindowInit) {
    this.name = init.name;
    this.bytes = init.bytes;
    this.flags = init.flags;
    this.addresses = init.addresses;
    this.values = init.values;
    this.plan = init.plan;
  }

  /** What kernels of `rank` see of it. */
  valueAt(rank: number): WindowValue {
    const value = this.values[rank];
    if (value === undefined) throw new RangeError(`${this.name} has no rank ${rank}.`);
    return value;
  }

  /** Where the copy of `rank` begins. */
  addressAt(rank: number): number {
    const address = this.addresses[rank];
    if (address === undefined) throw new RangeError(`${this.name} has no rank ${rank}.`);
    return address;
  }
}
