import { isNcclError, NcclError, ncclVersionText } from '@nccl-ts/core';
import type { NcclVersionCode } from '../cuda-source.ts';
import { variable, type DiscoveryHost } from '../discovery/discovery-host.ts';

/** The first version that has several ranks on one GPU. */
const oldestSharing: NcclVersionCode = 23003;

/** What NCCL is asked by whether several ranks may be on one GPU; it looks once, at the first communicator of the process. */
const allowing = 'NCCL_MULTI_RANK_GPU_ENABLE';
/** Streams beyond so many, which CUDA sets to 8, wait for each other: a kernel that waits for one behind it never ends. */
const queues = 'CUDA_DEVICE_MAX_CONNECTIONS';
const mostQueues = '32';

/** How many ranks share a GPU, at most. */
export function ranksPerGpu(ordinals: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const ordinal of ordinals) counts.set(ordinal, (counts.get(ordinal) ?? 0) + 1);
  return Math.max(1, ...counts.values());
}

/**
 * Sets in the environment of this process what NCCL and CUDA need where ranks share a GPU, unless it is set. To be called before
 * either is loaded.
 */
export function allowSharing(): void {
  process.env[allowing] ??= '1';
  process.env[queues] ??= mostQueues;
}

/** What NCCL said of ranks that share a GPU, with what it may come from. */
export function sharingRefused(error: unknown): unknown {
  if (!isNcclError(error, 'NCCL_INVALID_USAGE')) return error;
  return new NcclError(
    error.code,
    `${error.message} For several ranks on one GPU, ${allowing} must be 1 before the first communicator of the process, ` +
      'whoever makes it.',
    { cause: error, details: error.details },
  );
}

/** @throws NcclError `NCCLTS_NCCL_TOO_OLD`; `NCCL_INVALID_USAGE` where the environment forbids it. */
export function checkSharing(version: NcclVersionCode, host: DiscoveryHost): void {
  const allowed = variable(host, allowing);
  if (allowed !== undefined && allowed !== '1') {
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      `There are more ranks than GPUs, and several share one only where ${allowing} is 1; it is ${allowed}.`,
    );
  }
  if (version >= oldestSharing) return;
  throw new NcclError(
    'NCCLTS_NCCL_TOO_OLD',
    `Several ranks on one GPU need NCCL ${ncclVersionText(oldestSharing)}, and this is ${ncclVersionText(version)}.`,
    { details: { version, needed: oldestSharing } },
  );
}
