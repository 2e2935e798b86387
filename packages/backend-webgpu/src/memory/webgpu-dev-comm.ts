import { devCommValues, type DevCommPlan, type DevCommValues } from '@nccl-ts/devcomm';
import type { DevCommHandle, RankGroup } from '@nccl-ts/transport';
import type { WebgpuWindow, WindowValue } from './webgpu-window.ts';

/** A device communicator as kernels of one rank see it. */
export interface DevCommValue {
  /** Numeric fields, by (dotted) name: `rank`, `lsaSize`, `lsaBarrier.bufHandle`, ... */
  readonly fields: DevCommValues;
  /** Fields that are windows, by name. */
  readonly windows: { readonly resourceWindow: WindowValue };
}

/** A device communicator on the ranks of a group, usually all ranks. */
export class WebgpuDevComm implements DevCommHandle {
  readonly plan: DevCommPlan;
  /** Its flags and other required resources, in the resource buffer. */
  readonly resources: WebgpuWindow;
  readonly group: RankGroup;
  /** By rank of the world. */
  readonly #values = new Map<number, DevCommValue>();

  constructor(plan: DevCommPlan, resources: WebgpuWindow, group: RankGroup) {
    this.plan = plan;
    this.resources = resources;
    this.group = group;
  }

  /** Its value in kernels of `rank`, a rank of the world. */
  valueAt(rank: number): DevCommValue {
    const known = this.#values.get(rank);
    if (known !== undefined) return known;
    const { members, topology } = this.group;
    const value = Object.freeze({
      fields: devCommValues(this.plan, topology, members.indexOf(rank)),
      windows: Object.freeze({ resourceWindow: this.resources.valueAt(rank) }),
    });
    this.#values.set(rank, value);
    return value;
  }
}
