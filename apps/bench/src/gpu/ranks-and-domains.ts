import type { CudaOptions } from '@nccl-ts/backend-cuda';
import type { WorldShape } from '@nccl-ts/conformance';
import { option } from '../option.ts';

/** The most ranks that share a GPU, from `--sharing`. If `undefined`, each rank has its own GPU. */
export const sharing: number | undefined = numberOf('--sharing');

/** The number of GPUs that ranks share, from `--gpus`. The first ones are used. */
export const sharedGpus: number = numberOf('--gpus') ?? 1;

/**
 * The number of ranks of each load-store domain, from `--lsa-size`. If `undefined`, all are in one.
 */
export const domainSize: number | undefined = numberOf('--lsa-size');

/** The GPU of each rank. Neighbours are on different GPUs. */
export function gpusOf(ranks: number): CudaOptions {
  return sharing === undefined ? { ranks } : { devices: Array.from({ length: sharedGpus }, (_, i) => i), ranks };
}

/**
 * The fewest ranks of the first world, because only that world queries NCCL if ranks may share a
 * GPU.
 */
export const firstRanks: number = sharing === undefined ? 1 : sharedGpus + 1;

/** Sets NCCL's environment variable. Call it before the first world, because NCCL reads it once. */
export function useDomains(): void {
  if (domainSize !== undefined) process.env['NCCL_LSA_TEAM_SIZE'] = String(domainSize);
}

/**
 * The reason why this number of GPUs cannot run a world of that shape, or `undefined` if they can.
 */
export function shapeProblem({ ranks, lsaSize }: WorldShape, gpus: number): string | undefined {
  const room = sharing === undefined ? gpus : sharing * sharedGpus;
  if (ranks > room) return `asked for ${ranks} ranks, but there is room for ${room}`;
  if (lsaSize === (domainSize ?? ranks) && ranks % lsaSize === 0) return undefined;
  return `asked for domains of ${lsaSize}, ${domainSize === undefined ? 'all GPUs are in one' : `they are of ${domainSize}`}`;
}

function numberOf(name: string): number | undefined {
  const given = option(name);
  return given === undefined ? undefined : Number(given);
}
