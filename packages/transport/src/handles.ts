import type { WindowFlags } from '@nccl-ts/window';
import type { DevCommPlan } from '@nccl-ts/devcomm';

/** A window over the buffers of all ranks, or of the ranks of its group. */
export interface WindowHandle {
  readonly bytes: number;
  readonly flags: WindowFlags;
}

/** A device communicator of all ranks, or of the ranks of its group. */
export interface DevCommHandle {
  readonly plan: DevCommPlan;
}
