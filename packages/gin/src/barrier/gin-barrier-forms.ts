import { deviceFn } from '@nccl-ts/kernel';
import { syncByPeers, syncByPeersOrTimeOut } from './gin-barrier-functions.ts';
import { syncInTurns, syncInTurnsOrTimeOut } from './gin-barrier-phases.ts';
import type { GinBarrierStep, TimedGinBarrier } from './gin-barrier-state.ts';

/** Synchronizes in the form that the network has chosen. */
export const syncAt: GinBarrierStep = deviceFn(
  { name: 'syncAt', use: { syncByPeers, syncInTurns } },
  ({ syncByPeers, syncInTurns }, self, coop, order, fence) => {
    if (self.net.comm.ginSignalEfficientBarriers) syncInTurns(self, coop, order, fence);
    else syncByPeers(self, coop, order, fence);
  },
);

/** Does the same with a time limit. */
export const syncAtOrTimeOut: TimedGinBarrier = deviceFn(
  { name: 'syncAtOrTimeOut', use: { syncByPeersOrTimeOut, syncInTurnsOrTimeOut } },
  ({ syncByPeersOrTimeOut, syncInTurnsOrTimeOut, u32 }, self, coop, order, fence, timeoutCycles) => {
    let outcome = u32(0);
    if (self.net.comm.ginSignalEfficientBarriers)
      outcome = syncInTurnsOrTimeOut(self, coop, order, fence, timeoutCycles);
    else outcome = syncByPeersOrTimeOut(self, coop, order, fence, timeoutCycles);
    return outcome;
  },
);
