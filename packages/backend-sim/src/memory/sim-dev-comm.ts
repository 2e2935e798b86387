import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { DevCommHandle, RankGroup } from '@nccl-ts/transport';
import type { SimBuffer } from './sim-buffer.ts';
import type { SimWindow } from './sim-window.ts';
import type { DevCommValue } from '@nccl-ts/codegen';

export interface SimDevCommInit {
  readonly plan: DevCommPlan;
  readonly group: RankGroup;
  readonly resources: SimWindow;
  /** The window over the words that the network writes. */
  readonly state: SimWindow;
  readonly buffers: readonly SimBuffer[];
  readonly values: readonly DevCommValue[];
  readonly teamGroups: readonly (readonly number[])[];
}

/** A device communicator: its plan, and its resource window, which has the same lifetime. */
export class SimDevComm implements DevCommHandle {
  readonly plan: DevCommPlan;
  /** The group of its ranks. */
  readonly group: RankGroup;
  /** The window over the resource buffers of all ranks. */
  readonly resources: SimWindow;
  /** The window over the words that the network writes. */
  readonly state: SimWindow;
  readonly buffers: readonly SimBuffer[];
  /**
   * By rank in the group, then by index in the plan's list of teams: the start of its multicast
   * addresses, or 0.
   */
  readonly teamGroups: readonly (readonly number[])[];
  readonly #values: readonly DevCommValue[];

  constructor(init: SimDevCommInit) {
    this.plan = init.plan;
    this.group = init.group;
    this.resources = init.resources;
    this.state = init.state;
    this.buffers = init.buffers;
    this.teamGroups = init.teamGroups;
    this.#values = init.values;
  }

  /** Returns its value in kernels of `rank`, a rank of the world. */
  valueAt(rank: number): DevCommValue {
    const value = this.#values[this.group.members.indexOf(rank)];
    if (value === undefined) throw new RangeError(`The device communicator has no rank ${rank}.`);
    return value;
  }
}
