import type { WindowFlags } from '@nccl-ts/window';
import type { DevCommPlan } from '@nccl-ts/devcomm';

/** One window, over the buffers of all ranks, or of those of its group. */
export interface WindowHandle {
  readonly bytes: number;
  readonly flags: WindowFlags;
}

/** One device communicator, on all ranks, or on those of its group. */
export interface DevCommHandle {
  readonly plan: DevCommPlan;
}
