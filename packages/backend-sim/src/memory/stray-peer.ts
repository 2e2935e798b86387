import type { PeerOfNobody } from '@nccl-ts/findings';
import { SLOT_BYTES } from './flat-address.ts';

/**
 * Pointers to the copy of a peer that does not exist. They have no region, so accesses through them
 * fault. Their addresses, far above all others, encode the peer and the size of the team, so that
 * the fault can report both. No table is needed: every host thread, and WebAssembly, makes the same
 * ones.
 */
const FIRST = 2 ** 52;
/** Peers from here on are encoded, and the last of the `PEERS` represents all others. */
export const LEAST_PEER = -256;
export const PEERS = 1024;
const UNKNOWN = PEERS - 1;

/**
 * The address for the least peer of a team of `lsaSize` ranks. In the middle of a slot, since
 * offsets may be below 0.
 */
export function strayStart(lsaSize: number): number {
  return FIRST + Math.min(lsaSize, PEERS - 1) * PEERS * SLOT_BYTES + SLOT_BYTES / 2;
}

export function strayBase(lsaSize: number, peer: number): number {
  const slot = peer - LEAST_PEER;
  return strayStart(lsaSize) + (slot >= 0 && slot < UNKNOWN ? slot : UNKNOWN) * SLOT_BYTES;
}

/** The peer of a pointer without a region; `undefined` if it was not made for one. */
export function strayPeer(address: number): PeerOfNobody | undefined {
  if (address < FIRST || address >= 2 * FIRST) return undefined;
  const slot = Math.floor((address - FIRST) / SLOT_BYTES);
  const lsaSize = Math.floor(slot / PEERS);
  if (lsaSize === PEERS - 1) return undefined;
  const number = slot % PEERS;
  return { ...(number === UNKNOWN ? {} : { peer: number + LEAST_PEER }), lsaSize };
}
