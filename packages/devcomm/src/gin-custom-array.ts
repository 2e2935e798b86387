import { NcclError } from '@nccl-ts/core';
import type { Topology } from '@nccl-ts/topology';
import type { NormalDevCommRequirements } from './requirements.ts';
import { requestedGinConnection } from './validate-requirements.ts';

/** The barriers that use GIN. */
const barrierCounts = ['barrierCount', 'railGinBarrierCount', 'worldGinBarrierCount'] as const;

/**
 * Checks the list of a `customArray` connection.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if it is missing, or has a rank that does not exist;
 *   `NCCLTS_NOT_SUPPORTED` for barriers.
 */
export function checkGinArray(requirements: NormalDevCommRequirements, { nRanks }: Topology): void {
  if (requestedGinConnection(requirements) !== 'customArray') return;
  const { ginCustomArray } = requirements;
  if (ginCustomArray === null) {
    throw refusal(
      'NCCL_INVALID_ARGUMENT',
      "ginConnectionType 'customArray' needs a list of ranks; pass it as ginCustomArray, which may be empty.",
      {},
    );
  }
  const past = ginCustomArray.findIndex((rank) => rank >= nRanks);
  if (past >= 0) {
    throw refusal(
      'NCCL_INVALID_ARGUMENT',
      `ginCustomArray[${past}] must be a rank from 0 to ${nRanks - 1}; given ${ginCustomArray[past]}.`,
      { ginCustomArray, nRanks },
    );
  }
  const barriers = barrierCounts.find((name) => requirements[name] > 0);
  if (barriers === undefined) return;
  throw refusal(
    'NCCLTS_NOT_SUPPORTED',
    `${barriers} ${requirements[barriers]} needs barriers over lists of ranks, which nccl-ts does not support. Require ` +
      "lsaBarrierCount, or ginConnectionType 'full'.",
    { barriers, given: requirements[barriers] },
  );
}

function refusal(
  code: 'NCCL_INVALID_ARGUMENT' | 'NCCLTS_NOT_SUPPORTED',
  message: string,
  details: Readonly<Record<string, unknown>>,
): NcclError {
  return new NcclError(code, `Cannot create a device communicator: ${message}`, { details });
}
