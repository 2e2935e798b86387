import type { DevResourceRequirements } from '@nccl-ts/devcomm';

/** Slots of a link: so many parts may be on their way. As NCCL has. @see NCCL_STEPS */
export const FIFO_SLOTS = 8;

/** Bytes of a slot of the links between each two ranks. */
export const P2P_SLOT_BYTES = 8192;

/** Bytes before the slots of a link: its four words, each on a line of its own. */
export const FIFO_HEAD = 512;

/**
 * Links in the resource buffers of all ranks, through which one rank sends parts of data to another: the sender fills slots in
 * the receiver's memory, the receiver empties them, and each tells the other how far it is. Link `i` of a rank has
 *
 * - at byte 0 `filled`: parts that the sender has filled, stored by the sender;
 * - at byte 128 `emptied`: of the parts that this rank has sent through its own link `i`, those the receiver has emptied;
 * - at bytes 256 and 384 how many parts this rank had sent and received when its last kernel ended;
 * - from byte 512 on the slots.
 *
 * The counts go on from kernel to kernel and wrap.
 *
 * Gives the bytes of one link.
 */
export function linkBytes(slotBytes: number): number {
  return FIFO_HEAD + FIFO_SLOTS * slotBytes;
}

/** What a device communicator is asked for. */
export function stepFifoRequirement(nLinks: number, slotBytes: number): DevResourceRequirements {
  return { bufferSize: nLinks * linkBytes(slotBytes), bufferAlign: 128 };
}
