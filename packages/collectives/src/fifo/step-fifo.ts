import type { DevResourceRequirements } from '@nccl-ts/devcomm';

/**
 * Slots of a link: the number of parts that may be in flight. The same number as in NCCL. @see
 * NCCL_STEPS
 */
export const FIFO_SLOTS = 8;

/** Bytes of a slot of the links between each two ranks. */
export const P2P_SLOT_BYTES = 8192;

/** Bytes before the slots of a link: its four words, each in a separate line. */
export const FIFO_HEAD = 512;

/**
 * Links in the resource buffers of all ranks, through which one rank sends parts of data to
 * another. The sender fills slots in the receiver's memory, the receiver empties them, and each
 * signals its progress to the other. Link `i` of a rank has
 *
 * - at byte 0 `filled`: parts that the sender has filled, stored by the sender;
 * - at byte 128 `emptied`: the number of parts, of those that this rank has sent through its own
 *   link `i`, that the receiver has emptied;
 * - at bytes 256 and 384 the numbers of parts that this rank had sent and received when its last
 *   kernel ended;
 * - from byte 512 on the slots.
 *
 * The counts continue from kernel to kernel and wrap around.
 *
 * Returns the bytes of one link.
 */
export function linkBytes(slotBytes: number): number {
  return FIFO_HEAD + FIFO_SLOTS * slotBytes;
}

/** The requirement on a device communicator. */
export function stepFifoRequirement(nLinks: number, slotBytes: number): DevResourceRequirements {
  return { bufferSize: nLinks * linkBytes(slotBytes), bufferAlign: 128 };
}
