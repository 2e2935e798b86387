import type { Communicator } from '@nccl-ts/communicator';
import { NcclError } from '@nccl-ts/core';

/** Whether the ranks are in several load-store domains. */
export function hasDomains({ lsaSize, nRanks }: Communicator): boolean {
  return lsaSize < nRanks;
}

/** Whether loads and stores reach the peer. */
export function isNear({ rank, lsaSize }: Communicator, peer: number): boolean {
  return Math.floor(peer / lsaSize) === Math.floor(rank / lsaSize);
}

/** Whether the network leads to ranks at other places of their domains too. */
export function reachesAll({ properties }: Communicator): boolean {
  return properties.ginType !== 'none';
}

/**
 * `what` is said of the operation, where it fails.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` where neither loads and stores nor the network lead to the peer.
 */
export function checkReach(comm: Communicator, peer: number, what: string): void {
  const { rank, lsaSize } = comm;
  if (isNear(comm, peer) || peer % lsaSize === rank % lsaSize || reachesAll(comm)) return;
  throw new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `${what}: the network leads from rank ${rank} only to ranks at its place in their load-store domains: ` +
      `${rank % lsaSize} of ${lsaSize}, and rank ${peer} is at ${peer % lsaSize}.`,
  );
}
