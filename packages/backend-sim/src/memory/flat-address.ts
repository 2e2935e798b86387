/**
 * Addresses as devices see them. Like NCCL, every rank has a slot of one size, and a window lies at
 * the same offset in every slot: the copy at rank `r` begins at `SLOT_BYTES * (r + 1) + offset`.
 * The first slot belongs to nobody, so that no address is 0.
 *
 * NCCL rounds the memory of a GPU up to 4 GiB; all memory here is less than that.
 */
export const SLOT_BYTES: number = 2 ** 32;

/** What `devicePointer` reports is aligned to this at the beginning of a window. */
export const WINDOW_ALIGN = 4096;

export function flatAddress(rank: number, offset: number): number {
  return SLOT_BYTES * (rank + 1) + offset;
}

/**
 * Whose slot an address lies in, and where in it. `rank` is -1 or past the last rank for addresses
 * in nobody's.
 */
export function flatPlace(address: number): { readonly rank: number; readonly offset: number } {
  const slot = Math.floor(address / SLOT_BYTES);
  return { rank: slot - 1, offset: address - slot * SLOT_BYTES };
}
