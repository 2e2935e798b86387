import type { Communicator } from '@nccl-ts/communicator';
import { NcclError } from '@nccl-ts/core';

/** @throws NcclError `NCCLTS_NOT_SUPPORTED` where not every rank can load and store the memory of every other. */
export function oneDomain(comm: Communicator, what: string): void {
  if (comm.lsaSize === comm.nRanks) return;
  throw new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `${what}: it goes by loads and stores, which reach ${comm.lsaSize} of the ${comm.nRanks} ranks from each.`,
  );
}
