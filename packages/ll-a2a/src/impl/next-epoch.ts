import { resourceLocalPointer } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import type { LLA2AState } from './ll-a2a-state.ts';
import { slotOf } from './slots.ts';

/** The last epoch before the numbers begin again. */
const LAST = 0xffffffff;

/**
 * Goes on to the next epoch. At the end of the last two, which are one in each bank, what the slots hold is cleared: it
 * could be of an epoch that comes again. Nobody writes to them then: a peer that is ahead has this rank's values of the next
 * epoch, so that it is in the other bank, until this rank's group has met.
 */
export const nextEpoch: DeviceFn<(self: LLA2AState) => void> = deviceFn(
  { name: 'nextEpoch', use: { resourceLocalPointer, slotOf, LAST } },
  ({ resourceLocalPointer, slotOf, LAST, u32, u64 }, self: LLA2AState) => {
    // Everybody has received.
    self.coop.sync();
    if (self.epoch >= LAST - 1) {
      const halves = slotOf(self, resourceLocalPointer(self.comm, u64, self.handle.bufHandle), 0);
      for (let i = u32(self.coop.threadRank()); i < 2 * self.handle.nSlots; i += u32(self.coop.size())) {
        halves.store(i, 0, 'relaxed', 'system');
      }
    }
    // Not under the branch: groups meet where all threads do, and threads have each loaded the epoch for themselves.
    self.coop.sync();
    self.epoch = self.epoch === LAST ? u32(2) : self.epoch + 1;
  },
);
