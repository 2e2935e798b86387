import { resourceLsaPointer, type DevComm } from '@nccl-ts/devcomm';
import {
  deviceFn,
  deviceModule,
  type AuthorOf,
  type Coop,
  type DeviceFn,
  type DeviceModule,
  type Ptr,
} from '@nccl-ts/kernel';
import { FIFO_HEAD, FIFO_SLOTS } from './step-fifo.ts';

/** Returns a pointer to the first byte of link `link` at LSA rank `peer`. */
const linkAt: DeviceFn<(comm: DevComm, bufHandle: number, slotBytes: number, link: number, peer: number) => Ptr> =
  deviceFn(
    { name: 'linkAt', use: { resourceLsaPointer, FIFO_HEAD, FIFO_SLOTS } },
    (
      { resourceLsaPointer, FIFO_HEAD, FIFO_SLOTS, u8, u32 },
      comm: DevComm,
      bufHandle: number,
      slotBytes: number,
      link: number,
      peer: number,
    ) => resourceLsaPointer(comm, u8, bufHandle, peer).offset(u32(link) * (FIFO_HEAD + FIFO_SLOTS * u32(slotBytes))),
  );

/** Returns the location of part number `step` in the link at `link`. */
const slotOf: DeviceFn<(link: Ptr, slotBytes: number, step: number) => Ptr> = deviceFn(
  { name: 'slotOf', use: { FIFO_HEAD, FIFO_SLOTS } },
  ({ FIFO_HEAD, FIFO_SLOTS, u32 }, link: Ptr, slotBytes: number, step: number) =>
    link.offset(FIFO_HEAD + (step % FIFO_SLOTS) * u32(slotBytes)),
);

/**
 * Waits until part number `step` is in this rank's link. Afterwards all threads of the group may
 * load it.
 */
const awaitFilled: DeviceFn<(coop: Coop, mine: Ptr, step: number) => void> = deviceFn(
  { name: 'awaitFilled' },
  ({ u32, i32 }, coop: Coop, mine: Ptr, step: number) => {
    const filled = mine.cast(u32);
    coop.waitAll(1, (_i) => i32(filled.load(0, 'acquire', 'system') - step) > 0);
    coop.sync();
  },
);

/**
 * Waits until the receiver has room for part number `step`. `mine` is this rank's link for the
 * parts that it sends.
 */
const awaitRoom: DeviceFn<(coop: Coop, mine: Ptr, step: number) => void> = deviceFn(
  { name: 'awaitRoom', use: { FIFO_SLOTS } },
  ({ FIFO_SLOTS, u32, i32 }, coop: Coop, mine: Ptr, step: number) => {
    const emptied = mine.offset(128).cast(u32);
    coop.waitAll(1, (_i) => i32(step - emptied.load(0, 'acquire', 'system')) < FIFO_SLOTS);
    coop.sync();
  },
);

/**
 * Signals to the receiver that part `step` has been stored. All threads of the group must have
 * synchronized after storing it.
 */
const postFilled: DeviceFn<(coop: Coop, theirs: Ptr, step: number) => void> = deviceFn(
  { name: 'postFilled' },
  ({ u32 }, coop: Coop, theirs: Ptr, step: number) => {
    if (coop.threadRank() === 0) theirs.cast(u32).store(0, step + 1, 'release', 'system');
  },
);

/**
 * Signals to the sender that part `step` is no longer needed. All threads of the group must have
 * synchronized after loading it.
 */
const postEmptied: DeviceFn<(coop: Coop, theirs: Ptr, step: number) => void> = deviceFn(
  { name: 'postEmptied' },
  ({ u32 }, coop: Coop, theirs: Ptr, step: number) => {
    if (coop.threadRank() === 0)
      theirs
        .offset(128)
        .cast(u32)
        .store(0, step + 1, 'release', 'system');
  },
);

/**
 * Signals both at once, with one fence: to the receiver at `next` that part `sent` has been stored,
 * and to the sender at `prev` that part `received` is no longer needed. A second release would wait
 * until the first signal has arrived at its peer.
 */
const postBoth: DeviceFn<(coop: Coop, next: Ptr, sent: number, prev: Ptr, received: number) => void> = deviceFn(
  { name: 'postBoth' },
  ({ fence, u32 }, coop: Coop, next: Ptr, sent: number, prev: Ptr, received: number) => {
    if (coop.threadRank() === 0) {
      fence('release', 'system');
      next.cast(u32).store(0, sent + 1, 'relaxed', 'system');
      prev
        .offset(128)
        .cast(u32)
        .store(0, received + 1, 'relaxed', 'system');
    }
  },
);

/** Returns the number of parts that this rank had sent before this kernel. */
const sentBefore: DeviceFn<(mine: Ptr) => number> = deviceFn({ name: 'sentBefore' }, ({ u32 }, mine: Ptr) =>
  mine.offset(256).cast(u32).load(0),
);

/** Returns the number of parts that this rank had received before this kernel. */
const receivedBefore: DeviceFn<(mine: Ptr) => number> = deviceFn({ name: 'receivedBefore' }, ({ u32 }, mine: Ptr) =>
  mine.offset(384).cast(u32).load(0),
);

/**
 * Saves the number of parts that this rank has sent, for the next kernel. All threads of the group
 * must have synchronized after reading it.
 */
const keepSent: DeviceFn<(coop: Coop, mine: Ptr, sent: number) => void> = deviceFn(
  { name: 'keepSent' },
  ({ u32 }, coop: Coop, mine: Ptr, sent: number) => {
    if (coop.threadRank() === 0) mine.offset(256).cast(u32).store(0, sent);
  },
);

/** Saves the number of parts that this rank has received, as `keepSent` does. */
const keepReceived: DeviceFn<(coop: Coop, mine: Ptr, received: number) => void> = deviceFn(
  { name: 'keepReceived' },
  ({ u32 }, coop: Coop, mine: Ptr, received: number) => {
    if (coop.threadRank() === 0) mine.offset(384).cast(u32).store(0, received);
  },
);

/** The functions of `links` in a kernel. */
export interface Links {
  readonly at: AuthorOf<typeof linkAt>;
  readonly slotOf: AuthorOf<typeof slotOf>;
  readonly awaitFilled: AuthorOf<typeof awaitFilled>;
  readonly awaitRoom: AuthorOf<typeof awaitRoom>;
  readonly postFilled: AuthorOf<typeof postFilled>;
  readonly postEmptied: AuthorOf<typeof postEmptied>;
  readonly postBoth: AuthorOf<typeof postBoth>;
  readonly sentBefore: AuthorOf<typeof sentBefore>;
  readonly receivedBefore: AuthorOf<typeof receivedBefore>;
  readonly keepSent: AuthorOf<typeof keepSent>;
  readonly keepReceived: AuthorOf<typeof keepReceived>;
}

/** The links of a FIFO of parts: `use: { links }`. */
export const links: DeviceModule<Links> = deviceModule('links', {
  at: linkAt,
  slotOf,
  awaitFilled,
  awaitRoom,
  postFilled,
  postEmptied,
  postBoth,
  sentBefore,
  receivedBefore,
  keepSent,
  keepReceived,
});
