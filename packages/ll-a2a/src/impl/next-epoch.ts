import { resourceLocalPointer } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import type { LLA2AState } from './ll-a2a-state.ts';
import { slotOf } from './slots.ts';

/** The last epoch before the numbers begin again, and the first one after it. */
const LAST = 0xffffffff;
const FIRST = 2;

/**
 * Goes on to the next epoch. At the end of the last two, which are one in each bank, what the slots
 * hold is cleared: it could be of an epoch that comes again. Nobody writes to them then: a peer
 * that is ahead has this rank's values of the next epoch, so that it is in the other bank, until
 * this rank's group has met. What it sends there later comes after what was cleared, since the
 * values of the epoch between are sent behind a fence and end with one: values alone order nothing.
 */
export const nextEpoch: DeviceFn<(self: LLA2AState) => void> = deviceFn(
  { name: 'nextEpoch', use: { resourceLocalPointer, slotOf, LAST, FIRST } },
  ({ resourceLocalPointer, slotOf, LAST, FIRST, fence, u32, u64 }, self: LLA2AState) => {
    if (self.epoch === LAST || self.epoch === FIRST) fence('acquire', 'system');
    // Everybody has received.
    self.coop.sync();
    const clears = self.epoch >= LAST - 1;
    if (clears) {
      const halves = slotOf(self, resourceLocalPointer(self.comm, u64, self.handle.bufHandle), 0);
      for (let i = u32(self.coop.threadRank()); i < 2 * self.handle.nSlots; i += u32(self.coop.size())) {
        halves.store(i, 0, 'relaxed', 'system');
      }
    }
    // Not under the branch: groups meet where all threads do, and threads have each loaded the
    // epoch for themselves.
    self.coop.sync();
    if (clears) fence('release', 'system');
    self.epoch = self.epoch === LAST ? u32(FIRST) : self.epoch + 1;
  },
);
