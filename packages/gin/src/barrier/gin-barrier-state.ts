import type { MemoryOrder } from '@nccl-ts/core';
import type { GinBarrierHandle } from '@nccl-ts/devcomm';
import type { Coop, DeviceFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { GinFence } from '../gin-module.ts';
import type { GinParts } from '../impl/gin-struct.ts';

/** The state of a session. */
export interface GinBarrierState {
  /** The group that opened it. */
  coop: Coop;
  net: GinParts;
  team: Team;
  handle: GinBarrierHandle;
  index: number;
  /** The first signal that does not belong to these barriers. */
  limit: number;
  /** 1 if it covers every context of the communicator. */
  allContexts: number;
}

/** A step of a barrier, or all of it. */
export type GinBarrierStep = DeviceFn<(self: GinBarrierState, coop: Coop, order: MemoryOrder, fence: GinFence) => void>;

/** A barrier with a time limit. Returns 0 or `ncclTimeout`. */
export type TimedGinBarrier = DeviceFn<
  (self: GinBarrierState, coop: Coop, order: MemoryOrder, fence: GinFence, timeoutCycles: number) => number
>;
