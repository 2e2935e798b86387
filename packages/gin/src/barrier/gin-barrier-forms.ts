import type { MemoryOrder } from '@nccl-ts/core';
import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import type { GinFence } from './gin-fence.ts';
import { syncByPeers, syncByPeersOrTimeOut } from './gin-barrier-functions.ts';
import { syncInTurns, syncInTurnsOrTimeOut } from './gin-barrier-phases.ts';
import type { GinBarrierState } from './gin-barrier-state.ts';

/** Synchronizes in the form that the network has chosen. */
export const syncAt: DeviceFn<(self: GinBarrierState, coop: Coop, order: MemoryOrder, fence: GinFence) => void> =
  deviceFn(
    { name: 'syncAt', use: { syncByPeers, syncInTurns } },
    ({ syncByPeers, syncInTurns }, self: GinBarrierState, coop: Coop, order: MemoryOrder, fence: GinFence) => {
      if (self.net.comm.ginSignalEfficientBarriers) syncInTurns(self, coop, order, fence);
      else syncByPeers(self, coop, order, fence);
    },
  );

/** Does the same with a time limit. */
export const syncAtOrTimeOut: DeviceFn<
  (self: GinBarrierState, coop: Coop, order: MemoryOrder, fence: GinFence, timeoutCycles: number) => number
> = deviceFn(
  { name: 'syncAtOrTimeOut', use: { syncByPeersOrTimeOut, syncInTurnsOrTimeOut } },
  (
    { syncByPeersOrTimeOut, syncInTurnsOrTimeOut, u32 },
    self: GinBarrierState,
    coop: Coop,
    order: MemoryOrder,
    fence: GinFence,
    timeoutCycles: number,
  ) => {
    let outcome = u32(0);
    if (self.net.comm.ginSignalEfficientBarriers)
      outcome = syncInTurnsOrTimeOut(self, coop, order, fence, timeoutCycles);
    else outcome = syncByPeersOrTimeOut(self, coop, order, fence, timeoutCycles);
    return outcome;
  },
);
