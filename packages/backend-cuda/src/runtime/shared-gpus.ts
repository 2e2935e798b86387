import { isNcclError, NcclError, ncclVersionText } from '@nccl-ts/core';
import type { NcclVersionCode } from '../cuda-source.ts';
import { HARDWARE_QUEUES } from '../ffi/hardware-queues.ts';
import { variable, type DiscoveryHost } from '../discovery/discovery-host.ts';

/** The first version that supports several ranks on one GPU. */
const oldestSharing: NcclVersionCode = 23003;

/**
 * NCCL's switch for several ranks on one GPU, which NCCL reads once, at the first communicator of
 * the process.
 */
const allowing = 'NCCL_MULTI_RANK_GPU_ENABLE';

/** The largest number of ranks on one GPU. */
export function ranksPerGpu(ordinals: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const ordinal of ordinals) counts.set(ordinal, (counts.get(ordinal) ?? 0) + 1);
  return Math.max(1, ...counts.values());
}

/**
 * Sets NCCL's variables for shared GPUs in the environment of this process, unless they are set. It
 * must be called before NCCL is loaded.
 */
export function allowSharing(): void {
  process.env[allowing] ??= '1';
}

/** Adds the likely cause to NCCL's error about ranks that share a GPU. */
export function sharingRefused(error: unknown): unknown {
  if (!isNcclError(error, 'NCCL_INVALID_USAGE')) return error;
  return new NcclError(
    error.code,
    `${error.message} For several ranks on one GPU, ${allowing} must be 1 before the first communicator of the process, ` +
      'no matter which code creates it.',
    { cause: error, details: error.details },
  );
}

/**
 * `ranks` is the number of ranks that share a GPU.
 *
 * @throws NcclError `NCCLTS_NCCL_TOO_OLD`; `NCCL_INVALID_USAGE` if the environment forbids it, or
 *   has too few queues.
 */
export function checkSharing(ranks: number, version: NcclVersionCode, host: DiscoveryHost): void {
  const allowed = variable(host, allowing);
  if (allowed !== undefined && allowed !== '1') {
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      `There are more ranks than GPUs, and several share one only where ${allowing} is 1; it is ${allowed}.`,
    );
  }
  const queues = variable(host, HARDWARE_QUEUES);
  // One queue is left for work that is not on a rank's stream.
  if (queues !== undefined && ranks >= Number(queues)) {
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      `${ranks} ranks share a GPU, but ${HARDWARE_QUEUES} is ${queues}. Streams beyond that number wait for each other, and kernels that wait ` +
        'for each other then never end. Set it to more than the number of ranks, at most 32, before any code in the process uses CUDA.',
      { details: { ranks, queues } },
    );
  }
  if (version >= oldestSharing) return;
  throw new NcclError(
    'NCCLTS_NCCL_TOO_OLD',
    `Several ranks on one GPU need NCCL ${ncclVersionText(oldestSharing)}, and this is ${ncclVersionText(version)}.`,
    { details: { version, needed: oldestSharing } },
  );
}
