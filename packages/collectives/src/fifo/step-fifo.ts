import type { DevResourceRequirements } from '@nccl-ts/devcomm';

/** The slots of a link: the largest number of parts in flight, as in NCCL. @see NCCL_STEPS */
export const FIFO_SLOTS = 8;

/** The bytes of a slot of the link between two ranks. */
export const P2P_SLOT_BYTES = 8192;

/** The bytes before the slots of a link. They hold its four words, each in its own line. */
export const FIFO_HEAD = 512;

/**
 * Links in the resource buffers of all ranks, through which one rank sends parts of data to
 * another. The sender fills slots in the receiver's memory, the receiver empties them, and each
 * signals its progress to the other. Link `i` of a rank holds:
 *
 * - at byte 0 `filled`: the number of parts that the sender has filled, which the sender stores;
 * - at byte 128 `emptied`: the number of parts that this rank has sent through its own link `i` and
 *   that the receiver has emptied;
 * - at bytes 256 and 384: the numbers of parts that this rank had sent and received when its last
 *   kernel ended;
 * - from byte 512: the slots.
 *
 * The counts continue from kernel to kernel and wrap around.
 *
 * Returns the size of one link in bytes.
 */
export function linkBytes(slotBytes: number): number {
  return FIFO_HEAD + FIFO_SLOTS * slotBytes;
}

/** Returns the requirement on a device communicator. */
export function stepFifoRequirement(nLinks: number, slotBytes: number): DevResourceRequirements {
  return { bufferSize: nLinks * linkBytes(slotBytes), bufferAlign: 128 };
}
