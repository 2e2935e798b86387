/**
 * Addresses as devices see them. As in NCCL, every rank has a slot of one size, and a window has
 * the same offset in every slot. The copy at rank `r` begins at `SLOT_BYTES * (r + 1) + offset`.
 * The first slot is unused, so that no address is 0.
 *
 * NCCL rounds the memory of a GPU up to 4 GiB; all memory here is smaller than that.
 */
export const SLOT_BYTES: number = 2 ** 32;

/** The alignment of `devicePointer` at the start of a window. */
export const WINDOW_ALIGN = 4096;

export function flatAddress(rank: number, offset: number): number {
  return SLOT_BYTES * (rank + 1) + offset;
}

/**
 * Returns the slot of an address, and the offset in it. For addresses outside all slots, `rank`
 * is -1 or past the last rank.
 */
export function splitFlatAddress(address: number): { readonly rank: number; readonly offset: number } {
  const slot = Math.floor(address / SLOT_BYTES);
  return { rank: slot - 1, offset: address - slot * SLOT_BYTES };
}
