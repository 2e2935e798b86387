import type { PeerOfNobody } from '@nccl-ts/findings';
import { SLOT_BYTES } from './flat-address.ts';

/**
 * Pointers to the copy of a peer that does not exist. They have no region, so accesses through them
 * fault. Their addresses lie far above all others and encode the peer and the team's size, so that
 * the fault can report both. This needs no table: every host thread, and WebAssembly, computes the
 * same addresses.
 */
const FIRST = 2 ** 52;
/** Peers from this one up are encoded. The last of the `PEERS` represents all others. */
export const LEAST_PEER = -256;
export const PEERS = 1024;
const UNKNOWN = PEERS - 1;

/**
 * Returns the address for the smallest peer of a team of `lsaSize` ranks. It is in the middle of a
 * slot, since offsets may be negative.
 */
export function strayStart(lsaSize: number): number {
  return FIRST + Math.min(lsaSize, PEERS - 1) * PEERS * SLOT_BYTES + SLOT_BYTES / 2;
}

export function strayBase(lsaSize: number, peer: number): number {
  const slot = peer - LEAST_PEER;
  return strayStart(lsaSize) + (slot >= 0 && slot < UNKNOWN ? slot : UNKNOWN) * SLOT_BYTES;
}

/** Returns the peer of a pointer without a region; `undefined` if it was not made for one. */
export function strayPeer(address: number): PeerOfNobody | undefined {
  if (address < FIRST || address >= 2 * FIRST) return undefined;
  const slot = Math.floor((address - FIRST) / SLOT_BYTES);
  const lsaSize = Math.floor(slot / PEERS);
  if (lsaSize === PEERS - 1) return undefined;
  const number = slot % PEERS;
  return { ...(number === UNKNOWN ? {} : { peer: number + LEAST_PEER }), lsaSize };
}
