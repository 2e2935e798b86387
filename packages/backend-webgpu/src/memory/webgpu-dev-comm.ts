import { devCommValues, type DevCommPlan, type DevCommValues } from '@nccl-ts/devcomm';
import type { Topology } from '@nccl-ts/topology';
import type { DevCommHandle } from '@nccl-ts/transport';
import type { WebgpuWindow, WindowValue } from './webgpu-window.ts';

/** A device communicator as kernels of one rank see it. */
export interface DevCommValue {
  /** Numeric fields, by (dotted) name: `rank`, `lsaSize`, `lsaBarrier.bufHandle`, ... */
  readonly fields: DevCommValues;
  /** Fields that are windows, by name. */
  readonly windows: { readonly resourceWindow: WindowValue };
}

/** One device communicator, on all ranks. */
export class WebgpuDevComm implements DevCommHandle {
  readonly plan: DevCommPlan;
  /** Its flags and whatever else was asked for, in the resource buffer. */
  readonly resources: WebgpuWindow;
  readonly #topology: Topology;
  readonly #values = new Map<number, DevCommValue>();

  constructor(plan: DevCommPlan, resources: WebgpuWindow, topology: Topology) {
    this.plan = plan;
    this.resources = resources;
    this.#topology = topology;
  }

  /** What kernels of `rank` see of it. */
  valueAt(rank: number): DevCommValue {
    const known = this.#values.get(rank);
    if (known !== undefined) return known;
    const value = Object.freeze({
      fields: devCommValues(this.plan, this.#topology, rank),
      windows: Object.freeze({ resourceWindow: this.resources.valueAt(rank) }),
    });
    this.#values.set(rank, value);
    return value;
  }
}
