import { resourceLocalPointer } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import type { LLA2AState } from './ll-a2a-state.ts';
import { slotOf } from './slots.ts';

/** The last epoch before the numbers repeat, and the first one after it. */
const LAST = 0xffffffff;
const FIRST = 2;

/**
 * Advances to the next epoch. After the last epoch of each bank, the slots are cleared, because
 * epochs then repeat and old slots would match. No peer writes to them meanwhile. A peer that is
 * ahead has this rank's values of the next epoch, so it uses the other bank until this rank's group
 * has synchronized. Its later writes to the cleared slots come after the clearing, because the
 * values of the epoch in between are sent after a fence and end with one. The values themselves
 * order nothing.
 */
export const nextEpoch: DeviceFn<(self: LLA2AState) => void> = deviceFn(
  { name: 'nextEpoch', use: { resourceLocalPointer, slotOf, LAST, FIRST } },
  ({ resourceLocalPointer, slotOf, LAST, FIRST, fence, u32, u64 }, self) => {
    if (self.epoch === LAST || self.epoch === FIRST) fence('acquire', 'system');
    // Every thread has received its values.
    self.coop.sync();
    const clears = self.epoch >= LAST - 1;
    if (clears) {
      const halves = slotOf(self, resourceLocalPointer(self.comm, u64, self.handle.bufHandle), 0);
      for (let i = u32(self.coop.threadRank()); i < 2 * self.handle.nSlots; i += u32(self.coop.size())) {
        halves.store(i, 0, 'relaxed', 'system');
      }
    }
    // This is outside the branch, because all threads of a group must synchronize at the same call.
    // Each thread has loaded the epoch separately, so their branches might differ.
    self.coop.sync();
    if (clears) fence('release', 'system');
    self.epoch = self.epoch === LAST ? u32(FIRST) : self.epoch + 1;
  },
);
