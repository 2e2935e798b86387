import { NcclError } from '@nccl-ts/core';
import type { Harness } from '@nccl-ts/harness';

/**
 * The name of the only entry of a harness. `who` begins the message of an error.
 *
 * @throws NcclError `NCCL_INVALID_USAGE` if it has several kernels, or an entry for each rank.
 */
export function entryName(harness: Harness, who: string): string | RegExp {
  if (harness.kernels !== undefined)
    throw new NcclError('NCCL_INVALID_USAGE', `${who}: the harness has several kernels; describe one of them alone.`);
  const { entry } = harness;
  if (typeof entry !== 'function') return entry;
  throw new NcclError('NCCL_INVALID_USAGE', `${who}: each rank has an entry of its own; name one entry.`);
}
