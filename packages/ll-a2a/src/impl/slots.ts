import { resourceLocalPointer, resourceMultimemPointer, resourcePeerPointer } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { store } from '@nccl-ts/multimem';
import type { LLA2AState } from './ll-a2a-state.ts';
import { wordOf, type SentValue } from './value-words.ts';

// Slots are accessed as 64-bit words, two per line. The low 32 bits are half of 8 bytes of a value,
// and the high 32 bits are the epoch.

/** The number of lines before those of a session's block. */
export const firstLine: DeviceFn<(self: LLA2AState) => number> = deviceFn(
  { name: 'firstLine' },
  ({ u32 }, self) => u32(self.block) * (1 + 2 * self.handle.nSlots),
);

/** The first slot of value `elt` in the epoch's bank, of the buffer that begins at `halves`. */
export const slotOf: DeviceFn<(self: LLA2AState, halves: Ptr, elt: number) => Ptr> = deviceFn(
  { name: 'slotOf', use: { firstLine } },
  ({ firstLine, u32 }, self, halves, elt) =>
    halves.offset(2 * (firstLine(self) + 1 + (self.epoch & 1) * self.handle.nSlots + u32(elt))),
);

/**
 * The offset, from a value's first slot, of the word that contains 4-byte word `w` (a constant) of
 * the value.
 */
const halfAt: DeviceFn<(self: LLA2AState, w: number) => number> = deviceFn({ name: 'halfAt' }, ({ u32 }, self, w) =>
  w < 2 ? u32(w) : (w - (w % 2)) * u32(self.pitch) + (w % 2),
);

/** The number of 4-byte words in the slots of a value of `bytes` bytes. Each slot has two. */
export const wordsOf: DeviceFn<(bytes: number) => number> = deviceFn(
  { name: 'wordsOf' },
  (_context, bytes) => (bytes + 7 - ((bytes + 7) % 8)) / 4,
);

/**
 * The precondition on a value's number. `words`, a constant, is the number of 4-byte words in its
 * slots.
 */
export const requireSlots: DeviceFn<(self: LLA2AState, elt: number, words: number) => void> = deviceFn(
  { name: 'requireSlots', use: { halfAt } },
  ({ halfAt, requires, u32 }, self, elt, words) => {
    requires(
      elt >= 0 && 2 * u32(elt) + halfAt(self, words - 1) < 2 * self.handle.nSlots,
      'value {} of {} bytes at most, with maxElts {}, does not fit into the {} slots of the handle: ask for as many as llA2ACalcSlots says',
      elt,
      4 * words,
      self.pitch,
      self.handle.nSlots,
    );
    if (words > 2) {
      requires(
        elt < self.pitch,
        'value {} of more than 8 bytes, but maxElts of the session is {}: pass a larger maxElts',
        elt,
        self.pitch,
      );
    }
  },
);

/**
 * The 64-bit word of a slot, made of 4-byte word `w` (a constant) of a value and of the epoch as
 * its flag.
 */
const flaggedHalf = deviceFn(
  { name: 'flaggedHalf', use: { wordOf } },
  ({ wordOf, bitcast, vec, u32, u64 }, self: LLA2AState, value: SentValue, w: number) =>
    bitcast(u64, vec(u32, 2)(wordOf(value, w), self.epoch)),
);

/**
 * Stores a value in the slots of a member of the team.
 *
 * NCCL stores 16 bytes at once, whose flags show that both halves have arrived. Other backends have
 * no such stores, so a line is written as two stores of 8 bytes here. Each is atomic and carries
 * its own flag, and readers of either kind check only the flags.
 */
export const storeTo: DeviceFn<(self: LLA2AState, peer: number, elt: number, value: SentValue) => void> = deviceFn(
  { name: 'storeTo', use: { resourcePeerPointer, requireSlots, slotOf, halfAt, wordsOf, flaggedHalf } },
  (
    { resourcePeerPointer, requireSlots, slotOf, halfAt, wordsOf, flaggedHalf, requires, sizeOf, unroll, u64 },
    self,
    peer,
    elt,
    value,
  ) => {
    requires(
      peer >= 0 && peer < self.team.nRanks,
      'peer {} of a low-latency all-to-all: the ranks of its team are 0 to {}',
      peer,
      self.team.nRanks - 1,
    );
    const words = wordsOf(sizeOf(value.T) * value.width);
    requireSlots(self, elt, words);
    const slot = slotOf(self, resourcePeerPointer(self.comm, u64, self.handle.bufHandle, self.team, peer), elt);
    for (const w of unroll(words)) {
      slot.store(halfAt(self, w), flaggedHalf(self, value, w), 'relaxed', 'system');
    }
  },
);

/**
 * Stores a value in the slots of all ranks behind the multicast address. It stores halves, like
 * `storeTo`: PTX has no atomic multicast store of 16 bytes, and NCCL uses an ordinary one on such
 * an address. PTX has an atomic one of 8 bytes.
 */
export const storeToAll: DeviceFn<(self: LLA2AState, elt: number, value: SentValue) => void> = deviceFn(
  { name: 'storeToAll', use: { resourceMultimemPointer, store, requireSlots, slotOf, halfAt, wordsOf, flaggedHalf } },
  (
    { resourceMultimemPointer, store, requireSlots, slotOf, halfAt, wordsOf, flaggedHalf, sizeOf, unroll, u64 },
    self,
    elt,
    value,
  ) => {
    const words = wordsOf(sizeOf(value.T) * value.width);
    requireSlots(self, elt, words);
    const slot = slotOf(self, resourceMultimemPointer(self.comm, u64, self.handle.bufHandle, self.mmHandle), elt);
    for (const w of unroll(words)) {
      store(slot.offset(halfAt(self, w)), flaggedHalf(self, value, w));
    }
  },
);

/**
 * Reads the calling rank's slots of value `elt`, and returns the 64-bit word with 4-byte word `w`
 * (a constant).
 */
export const loadHalf: DeviceFn<(self: LLA2AState, elt: number, w: number) => number> = deviceFn(
  { name: 'loadHalf', use: { resourceLocalPointer, slotOf, halfAt } },
  ({ resourceLocalPointer, slotOf, halfAt, u64 }, self, elt, w) =>
    slotOf(self, resourceLocalPointer(self.comm, u64, self.handle.bufHandle), elt).load(
      halfAt(self, w),
      'relaxed',
      'system',
    ),
);
