import type { Communicator } from '@nccl-ts/communicator';
import { NcclError } from '@nccl-ts/core';

/** True if the ranks are in several load-store domains. */
export function hasDomains({ lsaSize, nRanks }: Communicator): boolean {
  return lsaSize < nRanks;
}

/** True if loads and stores reach the peer. */
export function isNear({ rank, lsaSize }: Communicator, peer: number): boolean {
  return Math.floor(peer / lsaSize) === Math.floor(rank / lsaSize);
}

/** True if the network also reaches ranks with other LSA ranks. */
export function reachesAll({ properties }: Communicator): boolean {
  return properties.ginType !== 'none';
}

/**
 * `what` names the operation in the error.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` if neither loads and stores nor the network reach the
 *   peer.
 */
export function checkReach(comm: Communicator, peer: number, what: string): void {
  const { rank, lsaSize } = comm;
  if (isNear(comm, peer) || peer % lsaSize === rank % lsaSize || reachesAll(comm)) return;
  throw new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `${what}: the network connects rank ${rank} only to ranks with the same LSA rank. Of ${lsaSize} LSA ranks, rank ${rank} has number ` +
      `${rank % lsaSize} of ${lsaSize}, and rank ${peer} is at ${peer % lsaSize}.`,
  );
}
